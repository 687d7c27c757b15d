// One head as a matrix: queries down, keys across. A canvas holds matrix and labels and is painted when the view
// changes; a second one over it holds what is pointed at and picked, and is redrawn on each move.

export default function (component) {
  const root = component.parentElement.querySelector(".heatmap");
  const state = stateOf(root, createHeatmap);
  const { header, arrays } = unpack(component.data);
  state.header = { factor: 1, ...header };
  state.weights = arrays.weights.values;
  state.leftOut = arrays.left_out?.values ?? null;
  [state.rows, state.cols] = arrays.weights.shape;
  state.window = header.window ?? null;
  state.theme = readTheme(root);
  state.levels = weightLevels(state.weights, state.rows, state.cols, header);
  state.anyMasked = state.levels.includes(MASKED);
  state.tell = (name, value) => component.setTriggerValue(name, value);
  const isOther = !keepView(state);
  followPick(state);
  if (isOther || !isBeingRead(state)) state.cell = restingCell(state);
  state.cursor.setAttribute("aria-label", header.label);
  paintHeatmap(state);
  listen(state);
  followSelection(state, () => takeOver(state));
  repaintOnResize(state, () => paintHeatmap(state));
  return endOf(state);
}

function createHeatmap(root) {
  const stage = addElement(root, "div", "stage");
  const matrix = addElement(stage, "canvas", "matrix", { "aria-hidden": "true" });
  const cursor = addElement(stage, "canvas", "cursor", {
    tabindex: "0", role: "application",
    "aria-roledescription": "heatmap, read it with the arrow keys, keep a cell with Enter, zoom with plus and minus",
  });
  const foot = addElement(root, "div", "foot");
  const state = {
    root,
    stage,
    matrix,
    cursor,
    legend: addElement(foot, "div", "legend", { "aria-hidden": "true" }),
    tooltip: addElement(root, "div", "tooltip", { "aria-hidden": "true" }),
    live: addElement(root, "div", "visually-hidden live", { "aria-live": "polite" }),
    cell: null,
    pinned: [null, null],
    pickedHere: false,
    contentVersion: 0,
  };
  state.toolbar = createToolbar(state, foot);
  return state;
}

// The zoom stays through a change of head or scale, to be compared, but not through a change of text. Returns whether
// it stayed.
function keepView(state) {
  const { header } = state;
  const content = JSON.stringify([header.row_labels, header.col_labels, header.row_places, header.col_places]);
  if (state.content === content) return true;
  state.content = content;
  state.contentVersion += 1;
  state.pickedHere = false;
  resetZoom(state);
  return false;
}

// Whoever points at a cell or steps through them stays there when new numbers arrive.
function isBeingRead({ cell, cursor }) {
  return cell !== null && cursor.matches(":hover, :focus");
}

function paintHeatmap(state) {
  state.layout = layoutHeatmap(state);
  const { ratio } = state.layout;
  const { width, height } = pictureSize(state.layout);
  state.stage.style.height = `${height}px`;
  state.context = sizeCanvas(state.matrix, width, height, ratio);
  state.overlay = sizeCanvas(state.cursor, width, height, ratio);
  for (const name of ["left", "top", "width", "height"]) state.root.dataset[name] = state.layout[name];
  drawView(state);
  publishFigure(state.header.figure, () => heatmapSnapshot(state));
  markDrawn(state.root);
}

function drawView(state) {
  const { context, matrix, view, root, cursor } = state;
  const steps = labelSteps(state);
  renderLegend(state.legend, legendOf(state, Math.max(steps.row, steps.col)));
  context.clearRect(0, 0, matrix.width, matrix.height);
  drawMatrix(state);
  drawRestingLabels(state, context, steps);
  updateToolbar(state);
  const isWhole = state.zoom.factor === 1;
  cursor.classList.toggle("zoomed", !isWhole);
  Object.assign(root.dataset, {
    firstRow: view.row, lastRow: view.row + view.rows - 1, firstCol: view.col, lastCol: view.col + view.cols - 1,
  });
  showCell(state, state.cell);
}

function scheduleView(state) {
  onNextFrame(state, "drawing", () => drawView(state));
}
