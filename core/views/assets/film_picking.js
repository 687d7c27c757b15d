// Pointer and keyboard on the cells of the film.
// Plain functions without import or export: Python puts this text in front of film.js.

function listenToPanel(state, index) {
  const { canvas } = state.places[index];
  canvas.onpointermove = canvas.onpointerdown = (event) => pointAt(state, cellUnder(state, index, event));
  canvas.onpointerleave = (event) => event.pointerType !== "touch" && pointAt(state, null);
  canvas.onblur = () => pointAt(state, null);
  canvas.onkeydown = (event) => onFilmKey(state, index, event);
}

function cellUnder({ layout, panels, places }, index, event) {
  const box = places[index].canvas.getBoundingClientRect();
  const col = Math.floor((event.clientX - box.left - layout.left) / layout.wide);
  const row = Math.floor((event.clientY - box.top - layout.top) / layout.high);
  const { rows, cols } = panels[index];
  return row >= 0 && row < rows.length && col >= 0 && col < cols.length ? { index, row, col } : null;
}

function pointAt(state, cell) {
  if (JSON.stringify(cell) === JSON.stringify(state.cell)) return;
  state.cell = cell;
  drawFilm(state);
}

function onFilmKey(state, index, event) {
  if (event.altKey || event.metaKey || event.ctrlKey) return;
  const { rows, cols } = state.panels[index];
  const own = state.cell?.index === index ? state.cell : null;
  const [row, col] = own ? [own.row, own.col] : [0, 0];
  const target = {
    ArrowUp: [row - 1, col], ArrowDown: [row + 1, col], ArrowLeft: [row, col - 1], ArrowRight: [row, col + 1],
    Home: [row, 0], End: [row, cols.length - 1], PageUp: [0, col], PageDown: [rows.length - 1, col],
  }[event.key];
  if (!target && event.key !== "Escape") return;
  event.preventDefault();
  event.stopPropagation();
  if (!target) return pointAt(state, null);
  // The first key only shows where the reading starts.
  const [toRow, toCol] = own ? target : [row, col];
  const cell = { index, row: clamp(toRow, 0, rows.length - 1), col: clamp(toCol, 0, cols.length - 1) };
  pointAt(state, cell);
  const panel = state.panels[index];
  state.live.textContent = spokenCell(panel, frameAt(panel, state.step), cell.row, cell.col);
}

// The pointed cell is marked in every panel that has the same cells, and named in its own.
function pointedIn(state, index) {
  const { cell, panels } = state;
  if (!cell) return null;
  const [one, other] = [panels[cell.index], panels[index]];
  const same = one.rows.length === other.rows.length && one.cols.length === other.cols.length;
  return same ? [cell.row, cell.col] : null;
}

function tellPointed(state) {
  const { cell, panels, places, layout, tooltip, step } = state;
  if (!cell) return hideTooltip(tooltip);
  const panel = panels[cell.index];
  const { canvas } = places[cell.index];
  const frame = frameAt(panel, step);
  const [left, top] = [canvas.offsetLeft + layout.left + cell.col * layout.wide,
    canvas.offsetTop + layout.top + cell.row * layout.high];
  return showTooltip(tooltip, filmTooltip(panel, frame, cell.row, cell.col),
    { left, top, right: left + layout.wide, bottom: top + layout.high });
}
