// The picture of the heatmap: its layout, matrix, labels and crosshair.
// Plain functions without import or export: Python puts this text in front of heatmap.js.

const LARGEST_CELL_REM = 40 / 15;
const TALLEST_MATRIX_REM = 42;
const SMALLEST_SIDE = 60;

function labelFont(state, bold = false) {
  return `${bold ? "bold " : ""}${state.layout.font}px ${state.theme.codeFont}`;
}

function layoutHeatmap(state) {
  const { header, rows, cols, theme, root } = state;
  const [rem, ratio] = [remPixels(), devicePixelRatio || 1];
  const font = Math.round(0.76 * rem);
  const lineHeight = font * 1.12;
  const context = state.matrix.getContext("2d");
  context.font = `${font}px ${theme.codeFont}`;
  const upright = header.col_labels.map(standsUpright);
  const longest = (labels, standing) => font * 0.8 + labels.reduce(
    (length, label, i) => Math.max(length, labelLength(context, label, standing[i], lineHeight)), 0);
  const titleWidth = font * 5;
  const widest = Math.max(titleWidth, Math.min(9 * rem, root.clientWidth * 0.27));
  const left = Math.ceil(clamp(longest(header.row_labels, []), titleWidth, widest));
  const top = Math.ceil(clamp(longest(header.col_labels, upright), font * 3.6, 6.5 * rem));
  const size = matrixSize(root.clientWidth - left - 2, rem, ratio, rows, cols);
  return { ratio, font, lineHeight, left, top, upright, ...size };
}

// Square cells, in device pixels. Only a very lopsided matrix gives up squares, to stay visible at all.
function matrixSize(room, rem, ratio, rows, cols) {
  const width = Math.max(SMALLEST_SIDE, room) * ratio;
  const largest = LARGEST_CELL_REM * rem * ratio;
  const cell = snapCell(Math.min(largest, width / cols, (TALLEST_MATRIX_REM * rem * ratio) / rows), 0.33);
  const side = (cells) => Math.max(
    1, Math.floor(cell * cells + 1e-6), Math.floor(Math.min(SMALLEST_SIDE * ratio, cells * largest)));
  return { pixelWidth: side(cols), pixelHeight: side(rows) };
}

function paintHeatmap(state) {
  const layout = layoutHeatmap(state);
  state.layout = layout;
  const { ratio, left, top, pixelWidth, pixelHeight, font } = layout;
  layout.width = pixelWidth / ratio;
  layout.height = pixelHeight / ratio;
  layout.rowStep = Math.ceil((font * 1.15) / (layout.height / state.rows));
  layout.colStep = Math.ceil((font * 1.15) / (layout.width / state.cols));
  renderLegend(state.legend, legendOf(state));
  const [stageWidth, stageHeight] = [left + layout.width + 2, top + layout.height + font * 0.5];
  state.stage.style.height = `${stageHeight}px`;
  state.context = sizeCanvas(state.matrix, stageWidth, stageHeight, ratio);
  state.overlay = sizeCanvas(state.cursor, stageWidth, stageHeight, ratio);
  for (const name of ["left", "top", "width", "height"]) state.root.dataset[name] = layout[name];
  drawMatrix(state);
  drawRestingLabels(state);
  showCell(state, state.cell);
  markDrawn(state.root);
}

function drawMatrix(state) {
  const { context, layout, theme, levels, rows, cols } = state;
  const { ratio, left, top, width, height, pixelWidth, pixelHeight } = layout;
  const image = context.createImageData(pixelWidth, pixelHeight);
  const fitted = resampleLevels(levels, rows, cols, pixelHeight, pixelWidth);
  const pixels = new Uint32Array(image.data.buffer);
  paintLevels(pixels, pixelWidth, 0, 0, fitted, pixelHeight, pixelWidth, makePalette(theme, ratio));
  context.putImageData(image, Math.round(left * ratio), Math.round(top * ratio));
  context.strokeStyle = cssColour(theme.border);
  context.lineWidth = 1;
  context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
}

function drawRestingLabels(state) {
  const { context, layout, header, rows, cols, theme } = state;
  const { font, left, top, width, height, rowStep, colStep } = layout;
  for (const row of everyNth(rows, rowStep)) drawRowLabel(state, context, row, false);
  for (const col of everyNth(cols, colStep)) drawColLabel(state, context, col, false);
  context.font = `${font}px ${theme.font}`;
  context.fillStyle = cssColour(theme.muted);
  context.textAlign = "right";
  context.textBaseline = "alphabetic";
  context.direction = "ltr";
  // Labels of tiny first cells reach over the corner of the matrix: the titles step aside.
  const aside = (cellLength) => Math.max(0, font * 0.6 - cellLength / 2);
  const [right, bottom] = [left - font * 0.5 - aside(width / cols), top - font * 0.45 - aside(height / rows)];
  context.fillText(`${header.col_title} →`, right, bottom - font * 1.25);
  context.fillText(`${header.row_title} ↓`, right, bottom);
}

// Indices a step apart, the last one always among them.
function everyNth(count, step) {
  const indices = [];
  for (let index = 0; index < count - step; index += step) indices.push(index);
  return [...indices, count - 1];
}

function drawRowLabel(state, context, row, emphasised) {
  const { layout, header, theme, rows } = state;
  const { font, left, top, height } = layout;
  const kind = header.row_kinds[row];
  const y = top + ((row + 0.5) * height) / rows;
  if (emphasised) drawPlate(state, context, 0, y - font * 0.8, left, font * 1.6);
  context.save();
  context.font = labelFont(state, emphasised);
  context.fillStyle = labelInk(theme, kind, emphasised);
  context.translate(left - font * 0.5, y);
  drawLabel(context, header.row_labels[row], kind, "right", left - font * 0.7);
  context.restore();
}

function drawColLabel(state, context, col, emphasised) {
  const { layout, header, theme, cols } = state;
  const { font, lineHeight, left, top, width, upright } = layout;
  const kind = header.col_kinds[col];
  const x = left + ((col + 0.5) * width) / cols;
  if (emphasised) drawPlate(state, context, x - font * 0.8, 0, font * 1.6, top);
  context.save();
  context.font = labelFont(state, emphasised);
  context.fillStyle = labelInk(theme, kind, emphasised);
  context.translate(x, top - font * 0.4);
  if (upright[col]) {
    drawStackedLabel(context, header.col_labels[col], kind, top - font * 0.4, lineHeight);
  } else {
    context.rotate(-Math.PI / 2);
    drawLabel(context, header.col_labels[col], kind, "left", top - font * 0.6);
  }
  context.restore();
}

// Hides the resting neighbours under an emphasised label.
function drawPlate(state, context, x, y, width, height) {
  const { background, accent } = state.theme;
  context.fillStyle = cssColour(mixColours(background, accent, 0.13));
  context.beginPath();
  context.roundRect(x, y, width - 1, height, 3);
  context.fill();
}

// A line of background colour on both sides keeps the accent visible on every colour of the ramp.
function drawCrosshair(state, [row, col]) {
  const { overlay, layout, theme, rows, cols } = state;
  const { left, top, width, height } = layout;
  const [cellWidth, cellHeight] = [width / cols, height / rows];
  const [x, y] = [left + col * cellWidth, top + row * cellHeight];
  for (const [colour, lineWidth] of [[theme.background, 3.5], [theme.accent, 1.5]]) {
    overlay.strokeStyle = cssColour(colour);
    overlay.lineWidth = lineWidth;
    overlay.strokeRect(left, y, width, cellHeight);
    overlay.strokeRect(x, top, cellWidth, height);
  }
}
