// Token view: the text itself, each part coloured by its attention weight to or from the part in focus.
// What is held comes from the page's selection; hovering looks at a part as long as nothing is held.

export default function (component) {
  const root = component.parentElement.querySelector(".text");
  const state = stateOf(root, createTextView);
  const { header, arrays } = unpack(component.data);
  Object.assign(state, { component, header, theme: readTheme(root) });
  [state.rows, state.cols] = arrays.weights?.shape ?? [0, 0];
  state.weights = arrays.weights?.values;
  state.row = arrays.row?.values;
  state.column = arrays.column?.values;
  root.style.colorScheme = state.theme.dark ? "dark" : "light";
  updateParts(state);
  followReading(state);
  followSelection(state, () => followReading(state));
  repaintOnResize(state, () => paintText(state));
  return endOf(state);
}

function createTextView(root) {
  const bar = addElement(root, "div", "bar");
  const state = {
    root,
    bar,
    texts: addElement(root, "div", "texts", { role: "group", "aria-label": "Text, part by part" }),
    note: addElement(root, "div", "note"),
    legend: addElement(root, "div", "legend", { "aria-hidden": "true" }),
    tooltip: addElement(root, "div", "tooltip", { "aria-hidden": "true" }),
    live: addElement(root, "div", "visually-hidden live", { "aria-live": "polite" }),
    parts: [],
    picked: { query: null, key: null },
    pointed: null,
    held: null,
    heldSide: 0,
  };
  const options = [["to", "attends to"], ["from", "is attended by"]];
  state.choice = addChoice(bar, "Colours show what the word", options, (value) => readDirection(state, value));
  listenToText(state);
  return state;
}

function updateParts(state) {
  const content = JSON.stringify(state.header.blocks);
  if (state.content !== content) {
    state.content = content;
    state.pointed = null;
    state.marked = null;
    buildText(state);
  }
  // Colours of the theme may be others now.
  for (const part of state.parts) part.level = -1;
  state.bar.hidden = !state.header.blocks.some(({ role }) => role === "both");
}

// One text has one held word, read in the chosen direction. Between two texts the side picked last is held.
function adoptReading(state) {
  const { query = null, key = null, direction } = currentSelection();
  state.direction = direction === "from" ? "from" : "to";
  showChoice(state.choice, state.direction);
  const isNew = [query !== state.picked.query, key !== state.picked.key];
  state.picked = { query, key };
  const places = [query, key];
  if (!state.bar.hidden) {
    const side = state.direction === "from" ? 1 : 0;
    state.held = focusOfPart(state, partAtPlace(state, side, places[side] ?? places[1 - side]));
    return;
  }
  const first = [0, 1].find((side) => isNew[side] && places[side] !== null) ?? state.heldSide;
  const side = [first, 1 - first].find((each) => places[each] !== null);
  state.heldSide = side ?? 0;
  state.held = side === undefined ? null : focusOfPart(state, partAtPlace(state, side, places[side]));
}

function followReading(state) {
  adoptReading(state);
  paintText(state);
  if (state.held && state.held.part !== state.revealed) revealPart(state, state.held.part);
  state.revealed = state.held?.part;
}

// Scrolls the text, never the page, to what another figure picked.
function revealPart({ texts }, { element }) {
  const [box, part] = [texts.getBoundingClientRect(), element.getBoundingClientRect()];
  if (part.top < box.top || part.bottom > box.bottom) texts.scrollTop += part.top - box.top - box.height / 3;
}

function paintText(state) {
  colourParts(state);
  state.note.replaceChildren();
  for (const piece of describeFocus(state)) {
    const element = addElement(state.note, piece.token === undefined ? "span" : "bdi", "");
    element.textContent = piece.text ?? shorten(piece.token, 24);
  }
  renderLegend(state.legend, legendOfText(state));
  state.legend.classList.toggle("resting", !state.look.weights);
  state.root.dataset.held = state.held?.part.place ?? "";
  publishFigure(state.header.figure, () => textSnapshot(state));
  markDrawn(state.root);
}

// One listener for all parts, and none for each.
function listenToText(state) {
  const { texts, root } = state;
  texts.onpointerover = (event) => pointAtPart(state, partOf(state, event), event);
  texts.onpointerleave = () => pointAtPart(state, null);
  texts.onclick = (event) => { if (partOf(state, event)) pickPart(state, partOf(state, event)); };
  texts.onscroll = () => hideTooltip(state.tooltip);
  // These two have no property of their own to set.
  texts.addEventListener("focusout", (event) => {
    if (!texts.contains(event.relatedTarget)) pointAtPart(state, null);
  });
  texts.addEventListener("focusin", (event) => {
    const part = partOf(state, event);
    if (!part) return;
    focusPart(state, part);
    if (part.element.matches(":focus-visible")) pointAtPart(state, part, event);
    speakPart(state, part);
  });
  root.onkeydown = (event) => onTextKey(state, event);
}

function onTextKey(state, event) {
  if (event.key === "Escape") {
    pointAtPart(state, null);
    if (state.held) pickPart(state, state.held.part);
    return;
  }
  const part = partOf(state, event);
  if (!part) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    pickPart(state, part);
    speakPart(state, part);
    return;
  }
  if (!/^(Arrow|Home$|End$)/.test(event.key)) return;
  event.preventDefault();
  partAfterKey(state, part, event.key)?.element.focus();
}

function pointAtPart(state, part, event) {
  if (part) showPartTooltip(state, part, event);
  else hideTooltip(state.tooltip);
  if (state.pointed === part) return;
  state.pointed = part;
  if (state.held) return;
  onNextFrame(state, "drawing", () => paintText(state));
}

// A click on the held part lets it go. Either way nothing stays picked on the other side.
function pickPart(state, part) {
  const pick = { query: null, key: null };
  if (state.held?.part !== part) pick[sideOf(state, part) === 0 ? "query" : "key"] = part.place;
  changeSelection(state, pick);
  adoptReading(state);
  state.revealed = state.held?.part;
  state.pointed = null;
  hideTooltip(state.tooltip);
  paintText(state);
  state.component.setTriggerValue("pick", pick);
}

function readDirection(state, direction) {
  if (state.direction === direction) return;
  const pick = pickOnOtherSide(state, direction);
  changeSelection(state, { direction, ...pick });
  adoptReading(state);
  paintText(state);
  state.component.setTriggerValue("read", { direction });
  if (pick) state.component.setTriggerValue("pick", pick);
}

// Of a long text only the weights of what is picked are here: read the other way, the word is picked on the other side.
function pickOnOtherSide({ held, header }, direction) {
  if (header.dense || !held) return null;
  const { place } = held.part;
  return direction === "from" ? { query: null, key: place } : { query: place, key: null };
}

function weightWords(state, part) {
  const { focus, weights } = state.look;
  if (!focus || !weights || !standsOn(part, 1 - focus.side)) return null;
  const weight = weights[part.index];
  if (Number.isNaN(weight)) return "masked: the model could not attend here";
  return weight === 0 ? "0" : weight.toPrecision(4);
}

function showPartTooltip(state, part, event) {
  const title = { className: "tooltip-title tooltip-tokens", pieces: [{ token: visibleText(part), kind: part.kind }] };
  const lines = [title];
  const words = state.held && weightWords(state, part);
  if (words) {
    const [from, to] = state.held.side === 0 ? [state.held.part, part] : [part, state.held.part];
    title.pieces = [{ token: visibleText(from), kind: from.kind }, { text: " → " },
      { token: visibleText(to), kind: to.kind }];
    lines.push({ className: words.startsWith("masked") ? "tooltip-note" : "tooltip-value", pieces: [{ text: words }] });
  }
  const stands = part.tokens > 1 ? `stands for ${part.tokens} tokens` : "";
  const facts = [`${numberedAs(part.role).toLowerCase()} ${part.place}`, kindRemark(part.kind), stands].filter(Boolean);
  lines.push({ className: "tooltip-note", pieces: [{ text: facts.join(" · ") }] });
  const [box, piece] = [state.root.getBoundingClientRect(), pieceOf(part, event)];
  showTooltip(state.tooltip, lines, { left: piece.left - box.left, right: piece.right - box.left,
    top: piece.top - box.top, bottom: piece.bottom - box.top });
}

function speakPart(state, part) {
  if (state.held && state.held.part !== part) {
    state.live.textContent = weightWords(state, part) ?? "";
    return;
  }
  const focus = focusOfPart(state, part);
  const look = { focus, weights: weightsInFocus(state, focus) };
  const strongest = look.weights ? strongestParts(state, look).slice(0, 3) : [];
  state.live.textContent = strongest.length === 0 ? "" : `${focus.side === 0 ? "Attends to" : "Is attended by"} ${
    strongest.map(([each, weight]) => `${visibleText(each)} ${shortNumber(weight)}`).join(", ")}`;
}
