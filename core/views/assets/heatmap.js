// One head as a matrix: queries down, keys across. A canvas holds matrix and labels and is painted once
// per size; a second one over it holds crosshair and emphasised labels and is redrawn on each move.

const LARGEST_CELL_REM = 40 / 15;
const TALLEST_MATRIX_REM = 42;
const SMALLEST_SIDE = 60;

// position: share of the maximum -> place on the ramp; share: the way back, for the legend.
const SCALES = {
  linear: { position: (share) => share, share: (position) => position, remark: "" },
  sqrt: { position: Math.sqrt, share: (position) => position ** 2, remark: "square-root scale" },
  log: {
    position: (share) => 1 + Math.log10(share) / 4,
    share: (position) => 10 ** (4 * position - 4),
    remark: "log scale, 4 decades",
  },
};

export default function (component) {
  const root = component.parentElement.querySelector(".heatmap");
  const state = stateOf(root, createHeatmap);
  const { header, arrays } = unpack(component.data);
  state.header = header;
  state.weights = arrays.weights.values;
  [state.rows, state.cols] = arrays.weights.shape;
  state.theme = readTheme(root);
  state.levels = weightLevels(state.weights, header);
  state.cell = null;
  state.cursor.setAttribute("aria-label", header.label);
  renderLegend(state.legend, legendOf(state));
  paintHeatmap(state);
  listen(state);
  return repaintOnResize(root, state, () => paintHeatmap(state));
}

function createHeatmap(root) {
  const stage = addElement(root, "div", "stage");
  return {
    root,
    stage,
    matrix: addElement(stage, "canvas", "matrix", { "aria-hidden": "true" }),
    cursor: addElement(stage, "canvas", "cursor", {
      tabindex: "0", role: "application", "aria-roledescription": "heatmap, read it with the arrow keys",
    }),
    legend: addElement(root, "div", "legend", { "aria-hidden": "true" }),
    tooltip: addElement(root, "div", "tooltip", { "aria-hidden": "true" }),
    live: addElement(root, "div", "visually-hidden live", { "aria-live": "polite" }),
    cell: null,
  };
}

function weightLevels(weights, { scale, max }) {
  const { position } = SCALES[scale];
  const top = max > 0 ? max : 1;
  return Uint8Array.from(weights, (weight) => {
    if (Number.isNaN(weight)) return MASKED;
    return weight > 0 ? Math.round(TOP_LEVEL * clamp(position(weight / top), 0, 1)) : 0;
  });
}

function legendOf({ header, levels }) {
  const { share, remark } = SCALES[header.scale];
  const short = (value) => {
    const isTiny = value > 0 && value < 0.001;
    return isTiny ? value.toExponential(1) : String(Number(value.toPrecision(2)));
  };
  const lowest = header.scale === "log" ? `≤ ${short(header.max * share(0))}` : "0";
  const ticks = [lowest, short(header.max * share(0.5)), short(header.max)];
  return { ticks, remark, masked: levels.includes(MASKED) };
}

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
  const cell = snapCell(Math.min(largest, width / cols, (TALLEST_MATRIX_REM * rem * ratio) / rows));
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
  const { font, left, top, width, height } = layout;
  const rowStep = Math.ceil((font * 1.15) / (height / rows));
  const colStep = Math.ceil((font * 1.15) / (width / cols));
  for (let row = 0; row < rows; row += rowStep) drawRowLabel(state, context, row, false);
  for (let col = 0; col < cols; col += colStep) drawColLabel(state, context, col, false);
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

function showCell(state, cell) {
  const { overlay, cursor, root } = state;
  state.cell = cell;
  overlay.clearRect(0, 0, cursor.width, cursor.height);
  if (!cell) {
    hideTooltip(state.tooltip);
    delete root.dataset.row;
    delete root.dataset.col;
    return;
  }
  [root.dataset.row, root.dataset.col] = cell;
  drawCrosshair(state, cell);
  drawRowLabel(state, overlay, cell[0], true);
  drawColLabel(state, overlay, cell[1], true);
  showTooltip(state.tooltip, tooltipLines(state, cell), cellBox(state, cell));
}

function cellBox({ layout, stage, rows, cols }, [row, col]) {
  const { left, top, width, height } = layout;
  return {
    left: stage.offsetLeft + left + (col * width) / cols,
    right: stage.offsetLeft + left + ((col + 1) * width) / cols,
    top: stage.offsetTop + top + (row * height) / rows,
    bottom: stage.offsetTop + top + ((row + 1) * height) / rows,
  };
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

function tooltipLines(state, [row, col]) {
  const { header, weights, cols } = state;
  const { row_labels: rowLabels, col_labels: colLabels, row_kinds: rowKinds, col_kinds: colKinds } = header;
  const weight = weights[row * cols + col];
  const lines = [
    {
      className: "tooltip-title tooltip-tokens",
      pieces: [{ token: rowLabels[row], kind: rowKinds[row] }, { text: " → " },
        { token: colLabels[col], kind: colKinds[col] }],
    },
    {
      className: Number.isNaN(weight) ? "tooltip-note" : "tooltip-value",
      pieces: [{ text: formatWeight(weight) }],
    },
    {
      className: "tooltip-note",
      pieces: [{ text: `${header.row_title} ${row}, ${header.col_title} ${col}` }],
    },
  ];
  for (const [title, kind] of [[header.row_title, rowKinds[row]], [header.col_title, colKinds[col]]]) {
    const text = `${title}: ${kindRemark(kind)}`;
    if (kindRemark(kind)) lines.push({ className: "tooltip-note", pieces: [{ text }] });
  }
  return lines;
}

function formatWeight(weight) {
  if (Number.isNaN(weight)) return "masked: the model could not attend here";
  return weight === 0 ? "0" : weight.toPrecision(4);
}

function speakCell(state, [row, col]) {
  const { header, weights, cols } = state;
  state.live.textContent = [
    spokenToken(header.row_title, row, header.row_labels[row], header.row_kinds[row]),
    spokenToken(header.col_title, col, header.col_labels[col], header.col_kinds[col]),
    formatWeight(weights[row * cols + col]),
  ].join(", ");
}

// Where several cells share a device pixel, the strongest is what that pixel shows, so it is the one named.
function cellAt(state, event) {
  const { layout, rows, cols, cursor } = state;
  const { left, top, width, height, ratio } = layout;
  const box = cursor.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left - left, event.clientY - box.top - top];
  if (x < 0 || y < 0 || x >= width || y >= height) return null;
  const rowRange = cellsUnder(y, height, rows, ratio);
  const colRange = cellsUnder(x, width, cols, ratio);
  return strongestCell(state, rowRange, colRange);
}

function cellsUnder(offset, length, cells, ratio) {
  const pixels = Math.round(length * ratio);
  if (cells <= pixels) {
    const cell = Math.floor((offset / length) * cells);
    return [cell, cell];
  }
  const pixel = Math.floor(offset * ratio);
  const first = Math.ceil((pixel * cells) / pixels - 0.5);
  return [first, Math.max(first, Math.ceil(((pixel + 1) * cells) / pixels - 0.5) - 1)];
}

function strongestCell({ weights, cols }, [firstRow, lastRow], [firstCol, lastCol]) {
  let best = [firstRow, firstCol];
  let strongest = -Infinity;
  for (let row = firstRow; row <= lastRow; row += 1) {
    for (let col = firstCol; col <= lastCol; col += 1) {
      if (weights[row * cols + col] > strongest) {
        strongest = weights[row * cols + col];
        best = [row, col];
      }
    }
  }
  return best;
}

function listen(state) {
  const { cursor, rows, cols } = state;
  cursor.onpointermove = cursor.onpointerdown = (event) => {
    const cell = cellAt(state, event);
    if (String(cell) !== String(state.cell)) showCell(state, cell);
  };
  cursor.onblur = () => showCell(state, null);
  // A finger leaves with every tap; what it pointed at stays until the next one.
  cursor.onpointerleave = (event) => event.pointerType !== "touch" && showCell(state, null);
  cursor.onkeydown = (event) => {
    if (event.key === "Escape") showCell(state, null);
    const [row, col] = state.cell ?? [0, 0];
    const page = Math.max(1, Math.round(rows / 8));
    const move = {
      ArrowUp: [row - 1, col], ArrowDown: [row + 1, col],
      ArrowLeft: [row, col - 1], ArrowRight: [row, col + 1],
      Home: [event.ctrlKey ? 0 : row, 0], End: [event.ctrlKey ? rows - 1 : row, cols - 1],
      PageUp: [row - page, col], PageDown: [row + page, col],
    }[event.key];
    if (!move) return;
    event.preventDefault();
    const cell = state.cell ? [clamp(move[0], 0, rows - 1), clamp(move[1], 0, cols - 1)] : [0, 0];
    showCell(state, cell);
    speakCell(state, cell);
  };
}
