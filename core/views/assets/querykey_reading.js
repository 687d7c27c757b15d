// Reading the query-key view: pointer, arrow keys, picking a key, and the tooltip of one dimension.
// Plain functions without import or export: Python puts this text in front of querykey.js.

function listenToDetail(state) {
  const { box, head } = state;
  box.onscroll = () => redrawDetail(state);
  box.onpointermove = (event) => pointAtDetail(state, event, box);
  head.onpointermove = (event) => pointAtDetail(state, event, head);
  box.onpointerleave = head.onpointerleave = () => leaveDetail(state);
  box.onclick = (event) => pickKey(state, rowUnder(state, event));
  box.onkeydown = (event) => onDetailKey(state, event);
  box.onblur = () => {
    state.cursor = null;
    leaveDetail(state);
  };
}

function redrawDetail(state) {
  onNextFrame(state, "drawing", () => drawDetail(state));
}

function rowUnder(state, event) {
  const top = state.sheet.getBoundingClientRect().top;
  return state.rows[Math.floor((event.clientY - top) / state.layout.row)] ?? null;
}

function dimUnder({ dims, layout, sheet }, event) {
  if (!dims) return null;
  const x = event.clientX - sheet.getBoundingClientRect().left - layout.label;
  return x >= 0 && x < layout.strip ? Math.floor((x * dims) / layout.strip) : null;
}

function pointAtDetail(state, event, part) {
  const dim = dimUnder(state, event);
  const key = part === state.box ? rowUnder(state, event) : null;
  state.pointed = key === null && dim === null ? null : { key, dim };
  redrawDetail(state);
  const look = lookAtKey(state);
  if (dim === null) return hideTooltip(state.tooltip);
  const box = state.root.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  return showDimension(state, look.key, dim, { left: x, right: x, top: y - 8, bottom: y + 12 });
}

function leaveDetail(state) {
  state.pointed = null;
  hideTooltip(state.tooltip);
  redrawDetail(state);
}

function showDimension(state, index, dim, anchor) {
  const { header, keys } = state;
  const text = dimensionText(state, index, dim);
  const name = index === keys
    ? { text: header.steps.sink_name } : { token: header.col_labels[index], kind: header.col_kinds[index] };
  showTooltip(state.tooltip, [
    { className: "tooltip-title tooltip-tokens", pieces: [{ token: header.query_label, kind: header.query_kind },
      { text: " · " }, name] },
    { className: "tooltip-value", pieces: [{ text }] },
    { className: "tooltip-note", pieces: [{ text: `dimension ${dim} of ${state.dims}, counted from 0` }] },
  ], anchor);
}

function dimensionText({ query, key, dims, keys }, index, dim) {
  if (index === keys) return `q ${writeExact(query[dim])}`;
  const [q, k] = [query[dim], key[index * dims + dim]];
  return `q ${writeExact(q)} × k ${writeExact(k)} = ${writeExact(q * k)}`;
}

// A click on the picked key lets it go.
function pickKey(state, index) {
  if (index === null || index === state.keys) return;
  const { header } = state;
  // A key is picked for the query that is shown, also if nobody has picked that one.
  const pick = state.picked === index ? { key: null } : { query: header.query_place, key: header.col_places[index] };
  changeSelection(state, pick);
  adoptDetail(state);
  state.unseen = null;
  redrawDetail(state);
  publishFigure(header.figure, () => detailSnapshot(state));
  state.component.setTriggerValue("pick", pick);
}

function onDetailKey(state, event) {
  const { rows, dims, layout } = state;
  const at = state.cursor ? rows.indexOf(state.cursor.key) : -1;
  const page = Math.max(1, Math.floor(layout.visible / layout.row) - 1);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length };
  if (event.key in steps) {
    event.preventDefault();
    moveCursor(state, clamp((at < 0 ? (event.key === "End" ? 0 : -1) : at) + steps[event.key], 0, rows.length - 1));
  } else if (dims && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
    event.preventDefault();
    moveDimension(state, event.key === "ArrowRight" ? 1 : -1);
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    if (state.cursor) pickKey(state, state.cursor.key);
  } else if (event.key === "Escape") {
    state.cursor = null;
    leaveDetail(state);
    if (state.picked !== null) pickKey(state, state.picked);
  }
}

function moveCursor(state, row) {
  const { box, rows, layout } = state;
  state.pointed = null;
  state.cursor = { key: rows[row], dim: state.cursor?.dim ?? null };
  const [top, bottom] = [row * layout.row, (row + 1) * layout.row];
  if (top < box.scrollTop) box.scrollTop = top;
  if (bottom > box.scrollTop + layout.visible) box.scrollTop = bottom - layout.visible;
  hideTooltip(state.tooltip);
  redrawDetail(state);
  state.live.textContent = spokenKey(state, rows[row]);
}

function moveDimension(state, step) {
  const { rows, dims, layout, box, root } = state;
  const key = state.cursor?.key ?? lookAtKey(state).key;
  const dim = state.cursor?.dim ?? null;
  const next = dim === null ? (step > 0 ? 0 : dims - 1) : clamp(dim + step, 0, dims - 1);
  state.pointed = null;
  state.cursor = { key, dim: next };
  redrawDetail(state);
  const offset = box.getBoundingClientRect().top - root.getBoundingClientRect().top;
  const left = layout.label + (next * layout.strip) / dims;
  const top = offset + rows.indexOf(key) * layout.row - box.scrollTop;
  showDimension(state, key, next, { left, right: left + layout.strip / dims, top, bottom: top + layout.row });
  state.live.textContent = `dimension ${next}, ${dimensionText(state, key, next)}`;
}
