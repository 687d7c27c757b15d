// What the reader sets in the head view: which heads are on, lines per query, and the weight they must exceed.
// Plain functions without import or export: Python puts this text in front of headview.js.

const MOST_LINES = 32;
const TELL_AFTER = 250;
// Fine near zero, where most weights lie.
const THRESHOLDS = [
  0, 0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5,
];

function createControls(root) {
  const chips = addElement(root, "div", "chips", { role: "group", "aria-label": "Heads shown" });
  const ranges = addElement(root, "div", "ranges");
  return {
    chips,
    topK: addRange(ranges, "lines per query", { min: 1, max: MOST_LINES }),
    threshold: addRange(ranges, "weight above", { min: 0, max: THRESHOLDS.length - 1 }),
  };
}

function addRange(parent, text, limits) {
  const label = addElement(parent, "label", "range");
  addElement(label, "span", "range-name").textContent = text;
  const input = addElement(label, "input", "", { type: "range", step: 1, "aria-label": text, ...limits });
  return { input, output: addElement(label, "span", "range-value", { "aria-hidden": "true" }) };
}

// What is selected on the page counts, as every change made here goes there at once.
function adoptSelection(state) {
  const { shown, head, top_k: topK = 6, threshold = 0.02, query = null, key = null } = currentSelection();
  const { heads } = state.header;
  const wanted = shown ?? [head ?? heads[0]];
  // Another head was opened: the choice of heads made before it no longer counts.
  if (state.openHead !== head) stop(state, "telling");
  state.openHead = head;
  state.shown = headIndices(state, wanted);
  state.topK = clamp(topK, 1, MOST_LINES);
  state.threshold = clamp(threshold, 0, 1);
  state.onlyHead = Math.max(0, heads.indexOf(head ?? wanted[0]));
  const isNew = { query: query !== state.picked.query, key: key !== state.picked.key };
  state.picked = { query, key };
  if (isNew.query || isNew.key) adoptPick(state, isNew.query);
}

function headIndices({ header }, numbers) {
  const indices = numbers.map((number) => header.heads.indexOf(number)).filter((head) => head >= 0);
  return new Set(indices.sort((a, b) => a - b));
}

// A query and a key may both be picked; one is held here, the one picked last.
function adoptPick(state, queryIsNew) {
  const { query, key } = state.picked;
  const places = [indexOfPlace(state.header.row_places, query), indexOfPlace(state.header.col_places, key)];
  const order = queryIsNew ? [0, 1] : [1, 0];
  const side = order.find((each) => places[each] !== null) ?? null;
  state.locked = side === null ? null : { side, index: places[side] };
  state.unseen = state.locked;
}

// The entry that holds a token position: merged words hold several. Where the last entry ends is not known.
function indexOfPlace(places, place) {
  if (place === null) return null;
  const exact = places.indexOf(place);
  if (exact >= 0) return exact;
  const found = places.findLastIndex((first) => first <= place);
  return found >= 0 && found < places.length - 1 ? found : null;
}

// Several clicks in a row make one message.
function tellLines(state) {
  const { header, shown, topK, threshold } = state;
  const lines = { shown: [...shown].map((head) => header.heads[head]), top_k: topK, threshold };
  changeSelection(state, lines);
  after(state, "telling", TELL_AFTER, () => state.component.setTriggerValue("lines", lines));
}

function updateRanges(state) {
  const { topK, threshold } = state.controls;
  topK.input.value = state.topK;
  threshold.input.value = nearestThreshold(state.threshold);
  topK.input.oninput = () => { state.topK = Number(topK.input.value); redrawLines(state); };
  threshold.input.oninput = () => { state.threshold = THRESHOLDS[threshold.input.value]; redrawLines(state); };
  for (const { input } of [topK, threshold]) input.onchange = () => tellLines(state);
  nameRanges(state);
}

// Leaves the handles alone: a browser tells no end of a change that was written over meanwhile.
function nameRanges({ controls, topK, threshold }) {
  for (const [{ input, output }, value] of [[controls.topK, topK], [controls.threshold, threshold]]) {
    input.setAttribute("aria-valuetext", String(value));
    output.textContent = value;
  }
}

function nearestThreshold(value) {
  const distances = THRESHOLDS.map((each) => Math.abs(each - value));
  return distances.indexOf(Math.min(...distances));
}

function redrawLines(state) {
  nameRanges(state);
  scheduleFocus(state);
}

function updateChips(state) {
  const { chips } = state.controls;
  const { heads } = state.header;
  if (!sameValues(state.chipHeads, heads)) {
    state.chipHeads = heads;
    state.chips = heads.map((number, head) => createChip(state, number, head));
    chips.replaceChildren(...state.chips);
    const shortcuts = addElement(chips, "span", "shortcuts");
    addShortcut(state, shortcuts, "all", "Show all heads", () => state.chips.keys());
    state.only = addShortcut(state, shortcuts, "", "", () => [state.onlyHead]);
    addShortcut(state, shortcuts, "none", "Show no head", () => []);
  }
  state.only.textContent = `only ${heads[state.onlyHead]}`;
  state.only.setAttribute("aria-label", `Show only head ${heads[state.onlyHead]}`);
  state.chips.forEach((chip, head) => {
    chip.style.setProperty("--head", cssColour(state.colours[head]));
    chip.style.setProperty("--head-ink", cssColour(inkOn(state.colours[head])));
    chip.setAttribute("aria-pressed", String(state.shown.has(head)));
  });
}

function createChip(state, number, head) {
  const chip = document.createElement("button");
  chip.type = "button";
  chip.className = "chip";
  chip.textContent = number;
  chip.title = "Click: show or hide. Double-click: show alone.";
  chip.setAttribute("aria-label", `Head ${number}`);
  chip.tabIndex = head === 0 ? 0 : -1;
  chip.onclick = (event) => {
    if (event.altKey) return showHeads(state, [head]);
    const shown = new Set(state.shown);
    if (!shown.delete(head)) shown.add(head);
    return showHeads(state, shown);
  };
  chip.ondblclick = () => showHeads(state, [head]);
  chip.onfocus = () => moveTabStop(state.chips, chip);
  chip.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    state.chips[clamp(head + step, 0, state.chips.length - 1)].focus();
  };
  return chip;
}

function addShortcut(state, parent, text, label, headsOf) {
  const button = addElement(parent, "button", "shortcut", { type: "button", "aria-label": label });
  button.textContent = text;
  button.onclick = () => showHeads(state, headsOf());
  return button;
}

function showHeads(state, heads) {
  state.shown = new Set([...heads].sort((a, b) => a - b));
  updateChips(state);
  scheduleFocus(state);
  tellLines(state);
}
