// Pointer and keyboard on the heatmap: what is pointed at, and what is picked for all figures of the page.
// Plain functions without import or export: Python puts this text in front of heatmap.js.

// The selection names token positions; the picture has entries, which may be words or leave tokens out.
function followPick(state) {
  const { query, key } = currentSelection();
  state.pinned = [entryAt(state.header, "row", query), entryAt(state.header, "col", key)];
}

// Another figure has changed the selection: its pick replaces ours, a change of head leaves ours.
function takeOver(state) {
  const before = String(state.pinned);
  followPick(state);
  if (String(state.pinned) === before) return;
  const wasResting = state.pickedHere && String(state.cell) === before;
  state.pickedHere = false;
  if (wasResting) showCell(state, null);
  else drawMarks(state);
}

function entryAt(header, side, place) {
  if (!Number.isInteger(place)) return null;
  const [places, last] = [header[`${side}_places`], header[`${side}_last`]];
  const exact = places.indexOf(place);
  if (exact >= 0 || !(last || header.words)) return exact < 0 ? null : exact;
  // A later token of a word or block; where the last word of a picture ends is not known.
  const found = places.findLastIndex((first) => first <= place);
  const ends = last?.[found] ?? (found < places.length - 1 ? Infinity : -1);
  return found < 0 || place > ends ? null : found;
}

// What was picked here is shown while nothing is pointed at; picked elsewhere, it is only framed.
function restingCell({ pinned, pickedHere }) {
  const [row, col] = pinned;
  return pickedHere && (row !== null || col !== null) ? pinned : null;
}

function pickCell(state, [row, col]) {
  const { header, pinned } = state;
  if (header.factor > 1) {
    if (row !== null && col !== null) moveWindow(state, row, col);
    return;
  }
  const isPicked = pinned[0] === row && pinned[1] === col;
  const [query, key] = [header.row_places[row] ?? null, header.col_places[col] ?? null];
  // A label picks its row or column alone: what was picked on the other side belonged to another cell.
  pick(state, isPicked ? { query: null, key: null } : { query, key });
  state.live.textContent = isPicked ? "no longer kept" : "kept";
}

function pick(state, changes) {
  changeSelection(state, changes);
  followPick(state);
  state.pickedHere = state.pinned.some((index) => index !== null);
  state.tell("pick", changes);
  drawMarks(state);
}

// The window of a long map is put about the block, as far as the edges allow.
function moveWindow(state, row, col) {
  const { header, rows, cols } = state;
  const [firstRow, endRow, firstCol, endCol] = state.window ?? [row, row + 1, col, col + 1];
  const [height, width] = [endRow - firstRow, endCol - firstCol];
  const start = (index, length, count) => clamp(index - Math.floor(length / 2), 0, Math.max(0, count - length));
  const [newRow, newCol] = [start(row, height, rows), start(col, width, cols)];
  if (state.window) state.window = [newRow, newRow + height, newCol, newCol + width];
  state.tell("window", { row: header.row_places[newRow], col: header.col_places[newCol] });
  state.live.textContent = `Window from ${entryWords(header, "row", newRow)}, ${entryWords(header, "col", newCol)}`;
  drawMarks(state);
}

// [row, column] under the pointer; [row, null] over the label of a row, [null, column] over that of a column.
// Where several cells share a device pixel, the strongest is what that pixel shows, so it is the one named.
function cellAt(state, event) {
  const { left, top, width, height, ratio } = state.layout;
  const { view } = state;
  const [stageX, stageY] = stagePoint(state, event);
  const [x, y] = [stageX - left, stageY - top];
  if (x >= width || y >= height || (x < 0 && y < 0)) return null;
  const rows = y < 0 ? null : cellsUnder(y, height, view.row, view.rows, ratio);
  const cols = x < 0 ? null : cellsUnder(x, width, view.col, view.cols, ratio);
  if (!rows || !cols) return [rows?.[0] ?? null, cols?.[0] ?? null];
  return strongestCell(state, rows, cols);
}

function cellsUnder(offset, length, start, cells, ratio) {
  const pixels = Math.round(length * ratio);
  if (cells <= pixels) {
    const cell = start + Math.min(cells - 1, Math.floor((offset / length) * cells));
    return [cell, cell];
  }
  const pixel = Math.floor(offset * ratio);
  const first = Math.ceil((pixel * cells) / pixels - 0.5);
  return [start + first, start + Math.max(first, Math.ceil(((pixel + 1) * cells) / pixels - 0.5) - 1)];
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
  const { cursor } = state;
  cursor.onwheel = (event) => onWheel(state, event);
  cursor.ontouchstart = cursor.ontouchmove = cursor.ontouchend = (event) => onTouch(state, event);
  cursor.onpointerdown = (event) => {
    if (event.isPrimary) startDrag(state, event);
    pointAtCell(state, event);
  };
  cursor.onpointermove = (event) => state.pinch || continueDrag(state, event) || pointAtCell(state, event);
  cursor.onpointerup = () => endDrag(state);
  cursor.onpointercancel = () => { state.drag = null; };
  cursor.onclick = (event) => {
    const cell = cellAt(state, event);
    // The second click of a double click zooms and must not undo the first.
    if (cell && !state.wasDragged && event.detail < 2) pickCell(state, cell);
  };
  cursor.ondblclick = (event) => {
    if (cellAt(state, event)) zoomAt(state, 2, pointInCells(state, ...stagePoint(state, event)));
  };
  cursor.onblur = () => showCell(state, restingCell(state));
  // A finger leaves with every tap; what it pointed at stays until the next one.
  cursor.onpointerleave = (event) => event.pointerType !== "touch" && showCell(state, restingCell(state));
  cursor.onkeydown = (event) => onKey(state, event);
}

function pointAtCell(state, event) {
  const cell = cellAt(state, event);
  if (String(cell) !== String(state.cell)) showCell(state, cell);
}

function onKey(state, event) {
  if (event.altKey || (event.metaKey && !event.ctrlKey)) return;
  const command = {
    Escape: () => dropAll(state),
    Enter: () => state.cell && pickCell(state, state.cell),
    "+": () => zoomByKey(state, ZOOM_STEP),
    "=": () => zoomByKey(state, ZOOM_STEP),
    "-": () => zoomByKey(state, 1 / ZOOM_STEP),
    0: () => zoomOut(state),
  }[event.key];
  if (command && event.ctrlKey) return;
  const target = steppedCell(state, event);
  if (!command && !target) return;
  event.preventDefault();
  event.stopPropagation();
  if (command) command();
  else stepTo(state, target);
}

function dropAll(state) {
  state.drag = null;
  const isPicked = state.pinned.some((index) => index !== null);
  if (isPicked && state.header.factor === 1) pick(state, { query: null, key: null });
  showCell(state, null);
}

function steppedCell({ cell, pinned, rows, cols, view }, event) {
  const [startRow, startCol] = cell ?? pinned;
  const [row, col] = [startRow ?? view.row, startCol ?? view.col];
  const page = Math.max(1, Math.round(view.rows / 8));
  const target = {
    ArrowUp: [row - 1, col], ArrowDown: [row + 1, col],
    ArrowLeft: [row, col - 1], ArrowRight: [row, col + 1],
    Home: [event.ctrlKey ? 0 : row, 0], End: [event.ctrlKey ? rows - 1 : row, cols - 1],
    PageUp: [row - page, col], PageDown: [row + page, col],
  }[event.key];
  if (!target) return null;
  // The first key only shows where the reading starts.
  if (startRow === null && startCol === null) return [row, col];
  return [clamp(target[0], 0, rows - 1), clamp(target[1], 0, cols - 1)];
}

function stepTo(state, cell) {
  bringIntoView(state, ...cell);
  showCell(state, cell);
  speakCell(state, cell);
}
