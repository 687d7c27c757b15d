// The picture of the heatmap: its layout, matrix and labels, on the screen and in exports. A plot is
// {header, rows, cols, levels, theme, layout, view}; its view says which cells are drawn.
// Plain functions without import or export: Python puts this text in front of heatmap.js.

const LARGEST_CELL_REM = 40 / 15;
const TALLEST_MATRIX_REM = 42;
// The page's head above the picture, and legend and read-out below it.
const AROUND_PICTURE_REM = 23;
const SHORTEST_MATRIX_REM = 20;
const SMALLEST_SIDE = 60;

function labelFont({ layout, theme }, bold = false) {
  return `${bold ? "bold " : ""}${layout.font}px ${theme.codeFont}`;
}

function layoutHeatmap(state) {
  const { rows, cols, theme, root } = state;
  const [rem, ratio] = [remPixels(), devicePixelRatio || 1];
  const font = Math.round(0.76 * rem);
  const key = JSON.stringify([state.contentVersion, font, theme.codeFont, root.clientWidth]);
  if (state.labelRoom?.key !== key) {
    const limits = [Math.min(9 * rem, root.clientWidth * 0.27), 6.5 * rem];
    state.labelRoom = { key, ...roomForLabels(state.header, font, theme, limits) };
  }
  const seen = roomInWindow(theme, AROUND_PICTURE_REM + state.labelRoom.top / rem, SHORTEST_MATRIX_REM);
  const room = [root.clientWidth - state.labelRoom.left - font * 0.65, Math.min(TALLEST_MATRIX_REM, seen) * rem];
  const size = matrixSize(room, rem, ratio, rows, cols);
  const [width, height] = [size.pixelWidth / ratio, size.pixelHeight / ratio];
  return { ratio, font, ...state.labelRoom, ...size, width, height };
}

// What labels need to the left and above, within limits; upright: which column labels are not turned.
function roomForLabels(header, font, theme, [widest, tallest]) {
  const context = measuring(`${font}px ${theme.codeFont}`);
  const lineHeight = font * 1.12;
  const upright = header.col_labels.map(standsUpright);
  const longest = (labels, standing) => font * 0.8 + labels.reduce(
    (length, label, i) => Math.max(length, labelLength(context, label, standing[i], lineHeight)), 0);
  const titleWidth = font * 5;
  const left = Math.ceil(clamp(longest(rowNames(header), []), titleWidth, Math.max(titleWidth, widest)));
  const top = Math.ceil(clamp(longest(header.col_labels, upright), font * 3.6, tallest));
  return { lineHeight, left, top, upright };
}

// Square cells, in device pixels. Only a very lopsided matrix gives up squares, to stay visible at all.
function matrixSize([across, down], rem, ratio, rows, cols) {
  const width = Math.max(SMALLEST_SIDE, across) * ratio;
  const largest = LARGEST_CELL_REM * rem * ratio;
  const cell = snapCell(Math.min(largest, width / cols, (down * ratio) / rows), 0.33);
  const side = (cells) => Math.max(
    1, Math.floor(cell * cells + 1e-6), Math.floor(Math.min(SMALLEST_SIDE * ratio, cells * largest)));
  return { pixelWidth: side(cols), pixelHeight: side(rows) };
}

// The place of a cell of the view, in CSS pixels of the stage.
function cellBox({ layout, view }, row, col) {
  const [width, height] = [layout.width / view.cols, layout.height / view.rows];
  return { x: layout.left + (col - view.col) * width, y: layout.top + (row - view.row) * height, width, height };
}

function inView({ view }, row, col) {
  const rowSeen = row === null || (row >= view.row && row < view.row + view.rows);
  return rowSeen && (col === null || (col >= view.col && col < view.col + view.cols));
}

// The whole picture; labels of tiny last cells reach over the corner of the matrix.
function pictureSize({ left, top, width, height, font }) {
  return { width: left + width + font * 0.65, height: top + height + font * 0.65 };
}

// How many entries share one label.
function labelSteps({ layout, view }, smallest = layout.font * 1.15) {
  return {
    row: Math.max(1, Math.ceil(smallest / (layout.height / view.rows) - 0.01)),
    col: Math.max(1, Math.ceil(smallest / (layout.width / view.cols) - 0.01)),
  };
}

// Levels of the view alone: all cells if all are seen.
function viewLevels({ levels, rows, cols, view }) {
  if (view.rows === rows && view.cols === cols) return levels;
  const seen = new Uint8Array(view.rows * view.cols);
  for (let row = 0; row < view.rows; row += 1) {
    const start = (view.row + row) * cols + view.col;
    seen.set(levels.subarray(start, start + view.cols), row * view.cols);
  }
  return seen;
}

function drawMatrix(state) {
  const { context, layout, theme, view } = state;
  const { ratio, left, top, pixelWidth, pixelHeight } = layout;
  const image = context.createImageData(pixelWidth, pixelHeight);
  const fitted = resampleLevels(viewLevels(state), view.rows, view.cols, pixelHeight, pixelWidth);
  const pixels = new Uint32Array(image.data.buffer);
  paintLevels(pixels, pixelWidth, 0, 0, fitted, pixelHeight, pixelWidth, makePalette(theme, ratio));
  context.putImageData(image, Math.round(left * ratio), Math.round(top * ratio));
  drawFrame(state, context);
}

// The border, and a thin line where one sequence ends and the next begins.
function drawFrame(plot, context) {
  const { layout, theme, header, view } = plot;
  const { left, top, width, height } = layout;
  context.strokeStyle = cssColour(theme.border);
  context.lineWidth = 1;
  context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
  context.fillStyle = cssColour(theme.text);
  const thickness = theme.outline;
  for (const row of header.row_breaks ?? []) {
    if (row <= view.row || row >= view.row + view.rows) continue;
    context.fillRect(left, cellBox(plot, row, 0).y - thickness / 2, width, thickness);
  }
  for (const col of header.col_breaks ?? []) {
    if (col <= view.col || col >= view.col + view.cols) continue;
    context.fillRect(cellBox(plot, 0, col).x - thickness / 2, top, thickness, height);
  }
}

function drawRestingLabels(plot, context, steps) {
  const { layout, header, theme, view } = plot;
  const { font, left, top, width, height } = layout;
  for (const row of everyNth(view.row, view.rows, steps.row)) drawRowLabel(plot, context, row, false);
  for (const col of everyNth(view.col, view.cols, steps.col)) drawColLabel(plot, context, col, false);
  context.font = `${font}px ${theme.font}`;
  context.fillStyle = cssColour(theme.muted);
  context.textAlign = "right";
  context.textBaseline = "alphabetic";
  context.direction = "ltr";
  // Labels of tiny first cells reach over the corner of the matrix: the titles step aside.
  const aside = (cellLength) => Math.max(0, font * 0.6 - cellLength / 2);
  const right = left - font * 0.5 - aside(width / view.cols);
  const bottom = top - font * 0.45 - aside(height / view.rows);
  context.fillText(`${header.col_title} →`, right, bottom - font * 1.25);
  context.fillText(`${header.row_title} ↓`, right, bottom);
}

// Indices of the view a step apart, the last one always among them. They stay the same ones when the view moves.
function everyNth(first, count, step) {
  const [indices, last] = [[], first + count - 1];
  for (let index = Math.ceil(first / step) * step; index <= last - step; index += step) indices.push(index);
  return [...indices, last];
}

function drawRowLabel(plot, context, row, emphasised) {
  const { layout, header, theme } = plot;
  const { font, left } = layout;
  const kind = header.row_kinds[row];
  const { y, height } = cellBox(plot, row, 0);
  const middle = y + height / 2;
  if (emphasised) drawPlate(theme, context, 0, middle - font * 0.8, left - 1, font * 1.6);
  context.save();
  context.font = labelFont(plot, emphasised);
  context.fillStyle = labelInk(theme, kind, emphasised);
  context.translate(left - font * 0.5, middle);
  drawLabel(context, rowNames(header)[row], kind, "right", left - font * 0.7);
  context.restore();
}

function drawColLabel(plot, context, col, emphasised) {
  const { layout, header, theme } = plot;
  const { font, lineHeight, top, upright } = layout;
  const kind = header.col_kinds[col];
  const { x, width } = cellBox(plot, 0, col);
  const middle = x + width / 2;
  if (emphasised) drawPlate(theme, context, middle - font * 0.8, 0, font * 1.6, top - 1);
  context.save();
  context.font = labelFont(plot, emphasised);
  context.fillStyle = labelInk(theme, kind, emphasised);
  context.translate(middle, top - font * 0.4);
  if (upright[col]) {
    drawStackedLabel(context, header.col_labels[col], kind, top - font * 0.4, lineHeight);
  } else {
    context.rotate(-Math.PI / 2);
    drawLabel(context, header.col_labels[col], kind, "left", top - font * 0.6);
  }
  context.restore();
}

// Hides the resting neighbours under an emphasised label.
function drawPlate({ background, accent }, context, x, y, width, height) {
  context.fillStyle = cssColour(mixColours(background, accent, 0.13));
  context.beginPath();
  context.roundRect(x, y, width, height, 3);
  context.fill();
}
