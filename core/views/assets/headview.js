// Head view: queries left, keys right, one curve per attended pair, one colour per head. Tokens are
// buttons on a sheet as tall as the text; the canvas is only as tall as the visible box and sticks to it,
// because browsers limit the height of a canvas.

const LINE_CAP = 20000;
const ISOLATED_FLOOR = 0.004;
const FAINTEST = 0.16;
const NUMBERS_SHOWN = 5;
const BOX_REM = 36;
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
    addShortcut(state, shortcuts, "one", "Show only one head",
      () => [[...state.shown][0] ?? state.header.shown[0] ?? 0]);
  }
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

function focusedPlace(state) {
  return state.pointed ?? state.locked;
}

function weightAt(state, head, row, col) {
  const { weights, rowMax, rows, cols } = state;
  const at = head * rows + row;
  return (weights[at * cols + col] / 255) * rowMax[at];
}

// Everything that depends on the token in focus but not on scrolling. Lines come strongest first: a few per
// query and head at rest, all lines of the token otherwise.
function focusOn(state) {
  const place = focusedPlace(state);
  const lines = place ? isolatedLines(state, place) : restingLines(state);
  state.focusMoved = false;
  state.lines = lines.sort((a, b) => b.weight - a.weight);
  state.otherSide = place ? otherSideWeights(state, place) : null;
  shadeTokens(state, place);
}

function isolatedLines(state, { side, index }) {
  const lines = [];
  const count = side === 0 ? state.cols : state.rows;
  for (const head of state.shown) {
    for (let other = 0; other < count; other += 1) {
      const [row, col] = side === 0 ? [index, other] : [other, index];
      const weight = weightAt(state, head, row, col);
      if (weight > ISOLATED_FLOOR) lines.push({ head, row, col, weight });
    }
  }
  return lines;
}

function restingLines(state) {
  const { header, rows } = state;
  const lines = [];
  for (const head of state.shown) {
    for (let row = 0; row < rows; row += 1) {
      for (const col of strongestColumns(state, head, row)) {
        const weight = weightAt(state, head, row, col);
        if (weight > header.threshold) lines.push({ head, row, col, weight });
      }
    }
  }
  return lines;
}

function strongestColumns({ weights, rows, cols, header }, head, row) {
  const start = (head * rows + row) * cols;
  const best = [];
  for (let col = 0; col < cols; col += 1) {
    const value = weights[start + col];
    if (value === 0 || (best.length === header.top_k && value <= weights[start + best.at(-1)])) continue;
    let at = best.length;
    while (at > 0 && weights[start + best[at - 1]] < value) at -= 1;
    best.splice(at, 0, col);
    if (best.length > header.top_k) best.pop();
  }
  return best;
}

function drawHeadview(state) {
  const { context, layout, box, root, lines } = state;
  const [top, bottom] = [box.scrollTop, box.scrollTop + layout.visible];
  const { rowHeight } = layout;
  const isVisible = ({ row, col }) => {
    const [high, low] = row < col ? [row, col] : [col, row];
    return (low + 1) * rowHeight > top && high * rowHeight < bottom;
  };
  const visible = lines.filter(isVisible);
  const drawn = visible.slice(0, LINE_CAP);
  context.clearRect(0, 0, layout.width, layout.visible);
  drawLines(state, drawn, top);
  if (state.otherSide) printStrongest(state, top);
  root.dataset.lines = drawn.length;
  state.note.textContent = describeView(state, drawn.length, visible.length);
  markDrawn(root);
}

// Weakest first, so that the strong ones end up on top.
function drawLines({ context, layout, colours, strongest }, lines, scrolled) {
  const { column, width, rowHeight } = layout;
  const [left, right] = [column + 2, width - column - 2];
  const bend = (right - left) * 0.45;
  const inks = colours.map(cssColour);
  context.lineCap = "round";
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    const { head, row, col, weight } = lines[i];
    const strength = weight / strongest;
    const [from, to] = [(row + 0.5) * rowHeight - scrolled, (col + 0.5) * rowHeight - scrolled];
    context.strokeStyle = inks[head];
    context.globalAlpha = FAINTEST + (1 - FAINTEST) * Math.min(1, strength) ** 0.7;
    context.lineWidth = 1 + 1.6 * strength;
    context.beginPath();
    context.moveTo(left, from);
    context.bezierCurveTo(left + bend, from, right - bend, to, right, to);
    context.stroke();
  }
  context.globalAlpha = 1;
}

// Weight of each token on the other side: the mean over the heads shown.
function otherSideWeights(state, { side, index }) {
  const { rows, cols, shown } = state;
  const sums = new Float32Array(side === 0 ? cols : rows);
  for (const head of shown) {
    for (let other = 0; other < sums.length; other += 1) {
      sums[other] += side === 0 ? weightAt(state, head, index, other) : weightAt(state, head, other, index);
    }
  }
  const weights = sums.map((sum) => sum / Math.max(1, shown.size));
  const strongest = [...weights.keys()].sort((a, b) => weights[b] - weights[a]).slice(0, NUMBERS_SHOWN);
  return { side: 1 - side, weights, strongest: strongest.filter((each) => weights[each] >= 0.01) };
}

function shadeTokens(state, place) {
  const { otherSide } = state;
  const colour = state.shown.size === 1 ? state.colours[[...state.shown][0]] : state.theme.primary;
  state.tokens.forEach((tokens, side) => tokens.forEach((token, index) => {
    const shade = side === otherSide?.side ? otherSide.weights[index] : 0;
    const isShaded = shade > 0.01;
    token.classList.toggle("shaded", isShaded);
    token.style.background = isShaded ? shadeOf(state.theme, colour, shade) : "";
    const here = { side, index };
    token.classList.toggle("focused", samePlace(place, here));
    token.setAttribute("aria-pressed", String(samePlace(state.locked, here)));
  }));
}

// Never so strong that the token's own text falls below a readable contrast.
function shadeOf({ background, text }, colour, weight) {
  let share = 0.1 + 0.6 * Math.sqrt(weight);
  while (share > 0.05 && contrast(mixColours(background, colour, share), text) < 4.8) share -= 0.05;
  return cssColour(mixColours(background, colour, share));
}

function printStrongest({ context, layout, theme, otherSide }, scrolled) {
  const { column, width, rowHeight, font, rem } = layout;
  const { side, weights, strongest } = otherSide;
  context.font = `bold ${Math.round(font * 0.9)}px ${theme.font}`;
  context.textBaseline = "middle";
  context.textAlign = side === 0 ? "left" : "right";
  for (const index of strongest) {
    const text = weights[index].toFixed(2);
    const y = (index + 0.5) * rowHeight - scrolled;
    const length = context.measureText(text).width + 0.5 * rem;
    const edge = side === 0 ? column : width - column;
    context.fillStyle = cssColour(theme.background);
    context.fillRect(side === 0 ? edge : edge - length, y - font * 0.6, length, font * 1.2);
    context.fillStyle = cssColour(theme.text);
    context.fillText(text, edge + (side === 0 ? 0.25 : -0.25) * rem, y);
  }
}

function speakStrongest(state, place) {
  const { header } = state;
  const labels = place.side === 0 ? header.col_labels : header.row_labels;
  const { side, weights, strongest } = otherSideWeights(state, place);
  const spoken = strongest.slice(0, 3)
    .map((index) => `${SIDES[side]} ${index} ${labels[index]} ${weights[index].toFixed(2)}`);
  state.live.textContent = spoken.length > 0 ? `Strongest: ${spoken.join(", ")}` : "No weight above 0.01";
}

// Short enough for one line in a narrow card, so that the card does not change its height on hover.
function describeView({ header, shown, locked, pointed }, drawn, wanted) {
  if (shown.size === 0) return "No head is shown.";
  const atRest = `top ${header.top_k} lines per query and head, weight > ${header.threshold}`;
  const held = locked && "held until Escape";
  const parts = [pointed ? "all lines of the token" : held || atRest];
  if ((locked || pointed) && shown.size > 1) parts.push(`mean of ${shown.size} heads`);
  if (drawn < wanted) parts.push(`only the strongest ${drawn.toLocaleString("en")} lines drawn`);
  return parts.join(" · ");
}
