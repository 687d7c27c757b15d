// Head view: queries left, keys right, one curve per attended pair, one colour per head. Tokens are
// buttons on a sheet as tall as the text; the canvas is only as tall as the visible box and sticks to it,
// because browsers limit the height of a canvas. What is drawn on it stands in headview_drawing.js.

const SIDES = ["query", "key"];

export default function (component) {
  const root = component.parentElement.querySelector(".headview");
  const state = stateOf(root, createHeadview);
  const { header, arrays } = unpack(component.data);
  state.component = component;
  state.header = header;
  state.theme = readTheme(root);
  root.style.colorScheme = state.theme.dark ? "dark" : "light";
  readWeights(state, header, arrays);
  state.colours = headColours(state.heads, state.theme.dark);
  updateTokens(state);
  adoptSelection(state);
  updateChips(state);
  updateRanges(state);
  paintHeadview(state);
  followSelection(state, () => followPage(state));
  repaintOnResize(state, () => paintHeadview(state));
  return endOf(state);
}

function createHeadview(root) {
  const controls = createControls(root);
  const titles = addElement(root, "div", "titles", { "aria-hidden": "true" });
  const box = addElement(root, "div", "box");
  const sheet = addElement(box, "div", "sheet");
  const state = {
    root,
    controls,
    titles,
    box,
    sheet,
    canvas: addElement(sheet, "canvas", "lines", { "aria-hidden": "true" }),
    note: addElement(root, "div", "note"),
    live: addElement(root, "div", "visually-hidden live", { "aria-live": "polite" }),
    tokens: [[], []],
    picked: { query: null, key: null },
    pointed: null,
    locked: null,
  };
  listenToHeadview(state);
  return state;
}

function followPage(state) {
  adoptSelection(state);
  updateChips(state);
  updateRanges(state);
  scheduleFocus(state);
}

function updateTokens(state) {
  const { header } = state;
  const content = JSON.stringify([rowNames(header), header.row_kinds, header.row_places, header.row_title,
    header.col_labels, header.col_kinds, header.col_places, header.col_title]);
  if (state.content === content) return;
  state.content = content;
  state.pointed = null;
  state.locked = null;
  state.picked = { query: null, key: null };
  state.box.scrollTop = 0;
  state.tokens = [
    rowNames(header).map((label, i) => createToken(state, 0, i, label, header.row_kinds[i], header.row_places[i])),
    header.col_labels.map((label, i) => createToken(state, 1, i, label, header.col_kinds[i], header.col_places[i])),
  ];
  if (state.tokens[0].length > 0) state.tokens[0][0].tabIndex = 0;
  [header.row_breaks, header.col_breaks].forEach((breaks, side) => {
    for (const index of breaks ?? []) state.tokens[side][index].classList.add("begins");
  });
  state.titles.replaceChildren();
  SIDES.forEach((name, side) => { addElement(state.titles, "span", name).textContent = titleOf(state, side); });
  state.sheet.replaceChildren(state.canvas, ...state.tokens[0], ...state.tokens[1]);
}

function createToken(state, side, index, label, kind, number) {
  const token = document.createElement("button");
  token.type = "button";
  token.className = `token ${SIDES[side]} ${kind}`;
  token.tabIndex = -1;
  const title = titleOf(state, side);
  token.setAttribute("aria-label", spokenToken(title[0].toUpperCase() + title.slice(1), number, label, kind));
  addElement(token, "span", "", { dir: "auto" }).textContent = label;
  token.place = { side, index };
  return token;
}

function samePlace(one, other) {
  return Boolean(one && other) && one.side === other.side && one.index === other.index;
}

function pointAtToken(state, place) {
  if (samePlace(state.pointed, place) || (!place && !state.pointed)) return;
  state.pointed = place;
  scheduleFocus(state);
}

function toggleLock(state, place) {
  state.locked = samePlace(state.locked, place) ? null : place;
  scheduleFocus(state);
  tellPick(state, state.locked);
}

// One token is held here: nothing stays picked on the other side, where it could be taken for its pair.
function tellPick(state, place) {
  state.picked = { query: null, key: null };
  if (place) state.picked[SIDES[place.side]] = placesOf(state, place.side)[place.index];
  changeSelection(state, state.picked);
  state.component.setTriggerValue("pick", state.picked);
}

function placesOf({ header }, side) {
  return side === 0 ? header.row_places : header.col_places;
}

function moveTokenFocus(state, { side, index }, event) {
  const last = (which) => state.tokens[which].length - 1;
  const target = {
    ArrowUp: [side, index - 1], ArrowDown: [side, index + 1],
    ArrowLeft: [0, index], ArrowRight: [1, index],
    Home: [side, 0], End: [side, last(side)],
  }[event.key];
  if (!target) return;
  event.preventDefault();
  state.tokens[target[0]][clamp(target[1], 0, last(target[0]))].focus();
}

// One listener for all tokens: there may be two thousand.
function listenToHeadview(state) {
  const { box, sheet, root } = state;
  const tokenOf = (event) => event.target.closest?.(".token");
  box.onscroll = () => redrawHeadview(state);
  sheet.onpointerover = (event) => {
    const token = tokenOf(event);
    if (token) token.title = isCut(token) ? token.textContent : "";
    pointAtToken(state, token?.place ?? null);
  };
  sheet.onpointerleave = () => pointAtToken(state, null);
  // These two have no property of their own to set.
  sheet.addEventListener("focusout", (event) => {
    if (!sheet.contains(event.relatedTarget)) pointAtToken(state, null);
  });
  sheet.addEventListener("focusin", (event) => {
    const token = tokenOf(event);
    if (!token) return;
    moveTabStop(state.tokens.flat(), token);
    if (!token.matches(":focus-visible")) return;
    pointAtToken(state, token.place);
    speakStrongest(state, token.place);
  });
  sheet.onclick = (event) => { if (tokenOf(event)) toggleLock(state, tokenOf(event).place); };
  sheet.onkeydown = (event) => { if (tokenOf(event)) moveTokenFocus(state, tokenOf(event).place, event); };
  root.onkeydown = (event) => { if (event.key === "Escape") releaseLock(state); };
}

function isCut(token) {
  return token.firstChild.scrollWidth > token.firstChild.clientWidth;
}

function releaseLock(state) {
  state.pointed = null;
  state.locked = null;
  if (state.picked.query !== null || state.picked.key !== null) tellPick(state, null);
  scheduleFocus(state);
}

function scheduleFocus(state) {
  state.focusMoved = true;
  redrawHeadview(state);
}

function redrawHeadview(state) {
  onNextFrame(state, "drawing", () => {
    if (state.focusMoved) focusOn(state);
    drawHeadview(state);
  });
}
