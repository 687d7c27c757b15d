// One head as a matrix: queries down, keys across. A canvas holds matrix and labels and is painted once
// per size; a second one over it holds crosshair and emphasised labels and is redrawn on each move.

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
  keepPinnedCell(state);
  state.cursor.setAttribute("aria-label", header.label);
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
    pinned: null,
  };
}

// A pinned cell stays through a change of head or scale, to be compared, but not through a change of text.
function keepPinnedCell(state) {
  const content = JSON.stringify([state.header.row_labels, state.header.col_labels]);
  if (state.content !== content) state.pinned = null;
  state.content = content;
  state.cell = state.pinned;
}

function weightLevels(weights, { scale, max }) {
  const { position } = SCALES[scale];
  const top = max > 0 ? max : 1;
  return Uint8Array.from(weights, (weight) => {
    if (Number.isNaN(weight)) return MASKED;
    return weight > 0 ? Math.round(TOP_LEVEL * clamp(position(weight / top), 0, 1)) : 0;
  });
}

function legendOf({ header, levels, layout }) {
  const { share, remark } = SCALES[header.scale];
  const short = (value) => {
    const isTiny = value > 0 && value < 0.001;
    return isTiny ? value.toExponential(1) : String(Number(value.toPrecision(2)));
  };
  const lowest = header.scale === "log" ? `≤ ${short(header.max * share(0))}` : "0";
  const ticks = [lowest, short(header.max * share(0.5)), short(header.max)];
  const step = Math.max(layout.rowStep, layout.colStep);
  const remarks = [remark, step > 1 ? `1 label in ${step}` : ""].filter(Boolean);
  return { ticks, remark: remarks.join(" · "), masked: levels.includes(MASKED) };
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
  if (header.row_predictions.length) {
    lines.push({
      className: "tooltip-note",
      pieces: [{ text: `${header.row_title} predicts ` }, { token: header.row_predictions[row] }],
    });
  }
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
  cursor.onclick = (event) => {
    const cell = cellAt(state, event);
    state.pinned = String(cell) === String(state.pinned) ? null : cell;
  };
  cursor.onblur = () => showCell(state, state.pinned);
  // A finger leaves with every tap; what it pointed at stays until the next one.
  cursor.onpointerleave = (event) => event.pointerType !== "touch" && showCell(state, state.pinned);
  cursor.onkeydown = (event) => {
    if (event.key === "Escape") {
      state.pinned = null;
      showCell(state, null);
    }
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
