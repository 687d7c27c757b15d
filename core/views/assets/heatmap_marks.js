// What lies over the matrix and is redrawn on each move: the pointed row and column, what is picked, the window
// of a long map, and the rectangle that is being drawn to zoom.
// Plain functions without import or export: Python puts this text in front of heatmap.js.

function drawMarks(state) {
  const { overlay, cursor, cell, theme, pinned } = state;
  overlay.clearRect(0, 0, cursor.width, cursor.height);
  if (cell && (cell[0] === null) !== (cell[1] === null)) dimOthers(state, cell);
  drawCross(state, overlay, pinned, theme.accent);
  if (cell && String(cell) !== String(pinned)) drawCross(state, overlay, cell, theme.text);
  if (state.window) drawWindow(state, overlay);
  if (state.drag?.box) drawBox(theme, overlay, state.drag.box, [5, 4]);
}

// Frames of a row and a column with their labels; null leaves one out.
function drawCross(plot, context, [row, col], colour) {
  const { left, top, width, height } = plot.layout;
  const rowSeen = row !== null && inView(plot, row, null);
  const colSeen = col !== null && inView(plot, null, col);
  const frames = [];
  if (rowSeen) frames.push([left, cellBox(plot, row, 0).y, width, cellBox(plot, row, 0).height]);
  if (colSeen) frames.push([cellBox(plot, 0, col).x, top, cellBox(plot, 0, col).width, height]);
  const { width: cellWidth, height: cellHeight } = cellBox(plot, 0, 0);
  const thickness = plot.theme.outline * clamp(Math.min(cellWidth, cellHeight) / 6, 0.6, 1);
  // A line of background colour on both sides keeps the frame visible on every colour of the ramp.
  for (const [ink, lineWidth] of [[plot.theme.background, 3.5], [colour, 1.5]]) {
    context.strokeStyle = cssColour(ink);
    context.lineWidth = lineWidth * thickness;
    for (const frame of frames) context.strokeRect(...frame);
  }
  if (rowSeen) drawRowLabel(plot, context, row, true);
  if (colSeen) drawColLabel(plot, context, col, true);
}

function dimOthers(state, [row, col]) {
  const { overlay, layout, theme } = state;
  const { left, top, width, height } = layout;
  overlay.save();
  overlay.globalAlpha = 0.72;
  overlay.fillStyle = cssColour(theme.background);
  if (row !== null) {
    const box = cellBox(state, row, 0);
    overlay.fillRect(left, top, width, box.y - top);
    overlay.fillRect(left, box.y + box.height, width, top + height - box.y - box.height);
  } else {
    const box = cellBox(state, 0, col);
    overlay.fillRect(left, top, box.x - left, height);
    overlay.fillRect(box.x + box.width, top, left + width - box.x - box.width, height);
  }
  overlay.restore();
}

// The window of a long map, clipped to what is seen: [first row, end row, first column, end column].
function drawWindow(plot, context) {
  const { view, window, theme } = plot;
  const [firstRow, endRow] = window.slice(0, 2).map((row) => clamp(row, view.row, view.row + view.rows));
  const [firstCol, endCol] = window.slice(2).map((col) => clamp(col, view.col, view.col + view.cols));
  if (firstRow === endRow || firstCol === endCol) return;
  const [start, end] = [cellBox(plot, firstRow, firstCol), cellBox(plot, endRow, endCol)];
  drawBox(theme, context, [start.x, start.y, end.x, end.y], []);
}

function drawBox({ background, accent, outline }, context, [left, top, right, bottom], dash) {
  context.setLineDash(dash);
  for (const [colour, lineWidth] of [[background, 4], [accent, 2]]) {
    context.strokeStyle = cssColour(colour);
    context.lineWidth = lineWidth * outline;
    context.strokeRect(Math.min(left, right), Math.min(top, bottom), Math.abs(right - left), Math.abs(bottom - top));
  }
  context.setLineDash([]);
}

// Points at a cell [row, column], at a row [row, null], at a column [null, column], or at nothing.
function showCell(state, cell) {
  const { root, tooltip } = state;
  state.cell = cell && inView(state, ...cell) ? cell : null;
  drawMarks(state);
  delete root.dataset.row;
  delete root.dataset.col;
  if (!state.cell) {
    hideTooltip(tooltip);
    return;
  }
  const [row, col] = state.cell;
  if (row !== null) root.dataset.row = row;
  if (col !== null) root.dataset.col = col;
  showTooltip(tooltip, tooltipLines(state, state.cell), anchorOf(state, state.cell));
}

// What the tooltip stands beside: the cell, or the label of the row or column.
function anchorOf(state, [row, col]) {
  const { layout, stage } = state;
  const box = cellBox(state, row ?? 0, col ?? 0);
  const x = col === null ? [0, layout.left] : [box.x, box.x + box.width];
  const y = row === null ? [0, layout.top] : [box.y, box.y + box.height];
  return {
    left: stage.offsetLeft + x[0],
    right: stage.offsetLeft + x[1],
    top: stage.offsetTop + y[0],
    bottom: stage.offsetTop + y[1],
  };
}
