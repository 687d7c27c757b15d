// Head view: queries left, keys right, one curve per attended pair, one colour per head. Tokens are
// buttons on a sheet as tall as the text; the canvas is only as tall as the visible box and sticks to it,
// because browsers limit the height of a canvas. What is drawn on it stands in headview_lines.js.

const BOX_REM = 32;
const SIDES = ["query", "key"];

export default function (component) {
  const root = component.parentElement.querySelector(".headview");
  const state = stateOf(root, createHeadview);
  const { header, arrays } = unpack(component.data);
  state.header = header;
  state.theme = readTheme(root);
  [state.heads, state.rows, state.cols] = arrays.weights.shape;
  state.weights = arrays.weights.values;
  state.rowMax = arrays.row_max.values;
  state.strongest = state.rowMax.reduce((a, b) => Math.max(a, b), 1e-9);
  state.colours = headColours(state.heads, state.theme.dark);
  resetShownHeads(state);
  updateChips(state);
  updateTokens(state);
  listenToBox(state);
  paintHeadview(state);
  return repaintOnResize(root, state, () => paintHeadview(state));
}

function createHeadview(root) {
  const chips = addElement(root, "div", "chips", { role: "group", "aria-label": "Heads shown" });
  const titles = addElement(root, "div", "titles", { "aria-hidden": "true" });
  for (const side of SIDES) addElement(titles, "span", side).textContent = side;
  const box = addElement(root, "div", "box");
  const sheet = addElement(box, "div", "sheet");
  return {
    root,
    chips,
    titles,
    box,
    sheet,
    canvas: addElement(sheet, "canvas", "lines", { "aria-hidden": "true" }),
    note: addElement(root, "div", "note"),
    live: addElement(root, "div", "visually-hidden live", { "aria-live": "polite" }),
    tokens: [[], []],
    pointed: null,
    locked: null,
  };
}

// What the reader switched on stays through reruns, until Python asks for other heads.
function resetShownHeads(state) {
  const wanted = JSON.stringify([state.heads, state.header.shown]);
  if (state.wanted === wanted) return;
  state.wanted = wanted;
  state.shown = new Set(state.header.shown);
}

function updateChips(state) {
  if (state.chips.childElementCount !== state.heads + 1) {
    const chips = Array.from({ length: state.heads }, (_, head) => createChip(state, head));
    state.chips.replaceChildren(...chips);
    const shortcuts = addElement(state.chips, "span", "shortcuts");
    addShortcut(state, shortcuts, "all", "Show all heads", () => chips.keys());
    state.only = addShortcut(state, shortcuts, "", "", () => state.header.shown);
  }
  const selected = state.header.shown.join(", ");
  state.only.textContent = `only ${selected}`;
  state.only.setAttribute("aria-label", `Show only head ${selected}`);
  state.colours.forEach((colour, head) => {
    const chip = state.chips.children[head];
    chip.style.setProperty("--head", cssColour(colour));
    chip.style.setProperty("--head-ink", cssColour(inkOn(colour)));
    chip.setAttribute("aria-pressed", String(state.shown.has(head)));
  });
}

function createChip(state, head) {
  const chip = document.createElement("button");
  chip.type = "button";
  chip.className = "chip";
  chip.textContent = head;
  chip.title = "Click: show or hide. Double-click: show alone.";
  chip.setAttribute("aria-label", `Head ${head}`);
  chip.tabIndex = head === 0 ? 0 : -1;
  chip.onclick = (event) => {
    if (event.altKey) return showHeads(state, [head]);
    const shown = new Set(state.shown);
    if (!shown.delete(head)) shown.add(head);
    return showHeads(state, shown);
  };
  chip.ondblclick = () => showHeads(state, [head]);
  chip.onfocus = () => moveTabStop(chipButtons(state), chip);
  chip.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    chipButtons(state)[clamp(head + step, 0, state.heads - 1)].focus();
  };
  return chip;
}

function chipButtons(state) {
  return [...state.chips.querySelectorAll(".chip")];
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
  focusOn(state);
  drawHeadview(state);
}

function updateTokens(state) {
  const { header } = state;
  const content = JSON.stringify([header.row_labels, header.row_kinds, header.col_labels, header.col_kinds]);
  if (state.content === content) return;
  state.content = content;
  state.pointed = null;
  state.locked = null;
  state.box.scrollTop = 0;
  state.tokens = [
    header.row_labels.map((label, i) => createToken(state, 0, i, label, header.row_kinds[i])),
    header.col_labels.map((label, i) => createToken(state, 1, i, label, header.col_kinds[i])),
  ];
  state.sheet.replaceChildren(state.canvas, ...state.tokens[0], ...state.tokens[1]);
}

function createToken(state, side, index, label, kind) {
  const token = document.createElement("button");
  token.type = "button";
  token.className = `token ${SIDES[side]} ${kind}`;
  token.tabIndex = side === 0 && index === 0 ? 0 : -1;
  token.setAttribute("aria-label", spokenToken(side === 0 ? "Query" : "Key", index, label, kind));
  const text = addElement(token, "span", "", { dir: "auto" });
  text.textContent = label;
  const place = { side, index };
  token.onpointerenter = () => {
    token.title = text.scrollWidth > text.clientWidth ? label : "";
    pointAtToken(state, place);
  };
  token.onpointerleave = token.onblur = () => pointAtToken(state, null);
  token.onfocus = () => {
    moveTabStop(state.tokens.flat(), token);
    if (!token.matches(":focus-visible")) return;
    pointAtToken(state, place);
    speakStrongest(state, place);
  };
  token.onclick = () => lockToken(state, samePlace(state.locked, place) ? null : place);
  token.onkeydown = (event) => moveTokenFocus(state, place, event);
  return token;
}

function samePlace(one, other) {
  return Boolean(one && other) && one.side === other.side && one.index === other.index;
}

function pointAtToken(state, place) {
  state.pointed = place;
  scheduleFocus(state);
}

function lockToken(state, place) {
  state.locked = place;
  scheduleFocus(state);
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

function listenToBox(state) {
  state.box.onscroll = () => onNextFrame(state);
  state.root.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    state.pointed = null;
    lockToken(state, null);
  };
}

function scheduleFocus(state) {
  state.focusMoved = true;
  onNextFrame(state);
}

// Pointer moves and scrolling can come faster than frames.
function onNextFrame(state) {
  state.frame ??= requestAnimationFrame(() => {
    state.frame = null;
    if (state.focusMoved) focusOn(state);
    drawHeadview(state);
  });
}

function layoutHeadview(state) {
  const { root, rows, cols, theme, header, canvas } = state;
  const [rem, width] = [remPixels(), root.clientWidth];
  const count = Math.max(rows, cols);
  const rowHeight = Math.round(clamp((BOX_REM * rem) / count, 1.16 * rem, 1.47 * rem));
  const font = Math.round(0.8 * rem);
  const context = canvas.getContext("2d");
  context.font = `${font}px ${theme.codeFont}`;
  const needed = [...header.row_labels, ...header.col_labels]
    .reduce((longest, label) => Math.max(longest, context.measureText(label.slice(0, 60)).width), 0);
  const column = Math.ceil(clamp(needed + 0.9 * rem, 3 * rem, Math.max(3 * rem, width * 0.31)));
  const height = count * rowHeight;
  return { rem, ratio: devicePixelRatio || 1, rowHeight, font, column, height,
    visible: Math.min(height, Math.round(BOX_REM * rem)) };
}

function paintHeadview(state) {
  const layout = layoutHeadview(state);
  state.layout = layout;
  const { style } = state.root;
  style.setProperty("--column", `${layout.column}px`);
  style.setProperty("--row", `${layout.rowHeight}px`);
  state.box.style.height = `${layout.visible}px`;
  state.sheet.style.height = `${layout.height}px`;
  for (const tokens of state.tokens) {
    tokens.forEach((token, index) => { token.style.top = `${index * layout.rowHeight}px`; });
  }
  layout.width = state.sheet.clientWidth;
  state.titles.style.paddingRight = `${state.box.offsetWidth - layout.width}px`;
  state.context = sizeCanvas(state.canvas, layout.width, layout.visible, layout.ratio);
  focusOn(state);
  drawHeadview(state);
}
