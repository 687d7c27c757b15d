// Zooming and moving the heatmap. The view is always whole cells, so that pictures stay crisp; the zoom that it
// follows from is not, so that many small steps of a touchpad add up.
// Plain functions without import or export: Python puts this text in front of heatmap.js.

// The closest look: so many cells along a side.
const FEWEST_CELLS = 4;
const ZOOM_STEP = 1.6;
// A pointer that moves less between pressing and releasing has clicked.
const DRAG_SLACK = 4;

function resetZoom(state) {
  state.zoom = { factor: 1, row: 0, col: 0 };
  state.view = { row: 0, col: 0, rows: state.rows, cols: state.cols };
}

function largestFactor({ rows, cols }) {
  return Math.max(1, Math.max(rows, cols) / FEWEST_CELLS);
}

// Zooms to a factor and puts the given first row and column, which need not be whole, at the corner.
function setZoom(state, factor, row, col) {
  const { rows, cols } = state;
  const chosen = clamp(factor, 1, largestFactor(state));
  const visible = (count) => clamp(Math.round(count / chosen), Math.min(count, FEWEST_CELLS), count);
  const first = (at, count) => clamp(at, 0, count - visible(count));
  state.zoom = { factor: chosen, row: first(row, rows), col: first(col, cols) };
  state.view = {
    row: Math.round(state.zoom.row), col: Math.round(state.zoom.col), rows: visible(rows), cols: visible(cols),
  };
  scheduleView(state);
}

// Zooms by a factor and leaves the given point, in cells, where it is on the screen.
function zoomAt(state, by, [row, col]) {
  const { factor, row: firstRow, col: firstCol } = state.zoom;
  const wanted = clamp(factor * by, 1, largestFactor(state));
  const kept = factor / wanted;
  setZoom(state, wanted, row - (row - firstRow) * kept, col - (col - firstCol) * kept);
}

// About the pointed or picked cell, else about the middle of what is seen.
function zoomByKey(state, by) {
  const { view, cell, pinned } = state;
  const [row, col] = cell ?? pinned;
  const about = (index, first, count) => {
    const seen = index !== null && index >= first && index < first + count;
    return seen ? index + 0.5 : first + count / 2;
  };
  const wasSeen = inView(state, row, col);
  zoomAt(state, by, [about(row, view.row, view.rows), about(col, view.col, view.cols)]);
  // Rounded to whole cells, a view can miss one at its edge.
  if (wasSeen) bringIntoView(state, row, col);
  speakView(state);
}

function zoomOut(state) {
  setZoom(state, 1, 0, 0);
  speakView(state);
}

// Moves the view, no further than it must, until the cell is in it.
function bringIntoView(state, row, col) {
  if (inView(state, row, col)) return;
  const { zoom, view } = state;
  const first = (index, start, count) => (index === null ? start : clamp(start, index - count + 1, index));
  setZoom(state, zoom.factor, first(row, view.row, view.rows), first(col, view.col, view.cols));
}

// The rectangle given in pixels of the stage, with what is needed around it to keep cells square.
function zoomToBox(state, [x1, y1, x2, y2]) {
  const [rowA, colA] = pointInCells(state, x1, y1);
  const [rowB, colB] = pointInCells(state, x2, y2);
  const [height, width] = [Math.abs(rowB - rowA), Math.abs(colB - colA)];
  const factor = Math.min(state.rows / Math.max(height, 0.5), state.cols / Math.max(width, 0.5));
  const chosen = clamp(factor, 1, largestFactor(state));
  const first = (a, b, count) => (a + b) / 2 - count / chosen / 2;
  setZoom(state, chosen, first(rowA, rowB, state.rows), first(colA, colB, state.cols));
  speakView(state);
}

// A place on the stage as [row, column], with fractions; outside the matrix, the nearest place in it.
function pointInCells({ layout, view }, x, y) {
  const row = view.row + clamp((y - layout.top) / layout.height, 0, 1) * view.rows;
  return [row, view.col + clamp((x - layout.left) / layout.width, 0, 1) * view.cols];
}

function stagePoint(state, event) {
  const box = state.cursor.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

// A touchpad's pinch arrives as a wheel with Ctrl held. The plain wheel scrolls the page.
function onWheel(state, event) {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 20 : 1;
  const by = 2 ** clamp(-event.deltaY * unit * 0.01, -0.6, 0.6);
  zoomAt(state, by, pointInCells(state, ...stagePoint(state, event)));
}

// Two fingers on a touch screen: the cell between them stays between them.
function onTouch(state, event) {
  if (event.touches.length !== 2) {
    state.pinch = null;
    return;
  }
  event.preventDefault();
  const [one, other] = [...event.touches].map((touch) => stagePoint(state, touch));
  const distance = Math.max(1, Math.hypot(one[0] - other[0], one[1] - other[1]));
  const middle = [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2];
  state.pinch ??= { distance, factor: state.zoom.factor, point: pointInCells(state, ...middle) };
  state.wasDragged = true;
  state.drag = null;
  const { pinch, rows, cols, layout } = state;
  const factor = clamp((pinch.factor * distance) / pinch.distance, 1, largestFactor(state));
  const [down, across] = [(middle[1] - layout.top) / layout.height, (middle[0] - layout.left) / layout.width];
  setZoom(state, factor, pinch.point[0] - (down * rows) / factor, pinch.point[1] - (across * cols) / factor);
}

function startDrag(state, event) {
  state.wasDragged = false;
  if (event.button !== 0) return;
  const [x, y] = stagePoint(state, event);
  const { left, top } = state.layout;
  if (x < left || y < top) return;
  state.drag = { x, y, zoom: state.zoom, asBox: event.shiftKey, box: null };
}

// Returns whether the pointer is dragging: a rectangle with Shift, else the zoomed matrix.
function continueDrag(state, event) {
  const { drag, layout } = state;
  // Released where this component could not see it.
  if (!event.buttons) state.drag = null;
  if (!state.drag) return false;
  const [x, y] = stagePoint(state, event);
  const isClick = !state.wasDragged && Math.hypot(x - drag.x, y - drag.y) <= DRAG_SLACK;
  if (isClick || (!drag.asBox && drag.zoom.factor === 1)) return false;
  if (!state.wasDragged) state.cursor.setPointerCapture(event.pointerId);
  state.wasDragged = true;
  state.cell = null;
  hideTooltip(state.tooltip);
  if (drag.asBox) {
    const { left, top, width, height } = layout;
    drag.box = [drag.x, drag.y, clamp(x, left, left + width), clamp(y, top, top + height)];
    drawMarks(state);
  } else {
    const { factor, row, col } = drag.zoom;
    const down = ((y - drag.y) / layout.height) * state.view.rows;
    const right = ((x - drag.x) / layout.width) * state.view.cols;
    setZoom(state, factor, row - down, col - right);
  }
  return true;
}

function endDrag(state) {
  const box = state.drag?.box;
  state.drag = null;
  if (box) zoomToBox(state, box);
}

function createToolbar(state, parent) {
  const toolbar = addElement(parent, "div", "toolbar", { role: "group", "aria-label": "Zoom" });
  const commands = [
    ["−", "Zoom out", () => zoomByKey(state, 1 / ZOOM_STEP)],
    ["+", "Zoom in", () => zoomByKey(state, ZOOM_STEP)],
    ["fit", "Show the whole matrix", () => zoomOut(state)],
  ];
  const buttons = commands.map(([text, label, run], index) => {
    const button = addElement(toolbar, "button", "", { type: "button", "aria-label": label, title: label });
    button.textContent = text;
    button.onclick = () => button.getAttribute("aria-disabled") !== "true" && run();
    button.onfocus = () => moveTabStop(buttons, button);
    button.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      buttons[clamp(index + step, 0, buttons.length - 1)].focus();
    };
    return button;
  });
  moveTabStop(buttons, buttons[1]);
  return toolbar;
}

function updateToolbar(state) {
  const { toolbar, zoom } = state;
  const [isWhole, isClosest] = [zoom.factor === 1, zoom.factor >= largestFactor(state)];
  [isWhole, isClosest, isWhole].forEach((disabled, index) => {
    toolbar.children[index].setAttribute("aria-disabled", String(disabled));
  });
  toolbar.hidden = largestFactor(state) === 1;
}
