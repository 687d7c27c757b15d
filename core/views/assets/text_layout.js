// The token view's running text: blocks of paragraphs whose parts stand for tokens, and moving among them.
// Plain functions without import or export: Python puts this text in front of text.js.

// From so many parts on, paragraphs out of sight are not laid out.
const LONG_TEXT = 2000;

// Parts without a token, such as spaces, are plain text. The others are buttons without margins or padding,
// so that joined letters stay joined and lines break where they would in the text alone.
function buildText(state) {
  const { texts, header } = state;
  state.parts = [];
  texts.replaceChildren();
  for (const block of header.blocks) {
    const section = addElement(texts, "section", "block", { "aria-label": block.title });
    if (header.blocks.length > 1) addElement(section, "div", "block-title").textContent = block.title;
    for (const paragraph of paragraphsOf(block.parts)) {
      const element = addElement(section, "p", "", { dir: "auto" });
      for (const part of paragraph) element.append(part.index < 0 ? part.text : partElement(state, part, block.role));
      if (paragraph.length === 0) element.append("\u200b");
    }
  }
  texts.classList.toggle("long", state.parts.length > LONG_TEXT);
  if (state.parts.length > 0) state.parts[0].element.tabIndex = 0;
  state.stop = state.parts[0]?.element;
}

// A newline ends a paragraph. One that the model reads as a token, or as a part of one, is shown as ↵ before it does.
function paragraphsOf(parts) {
  const paragraphs = [[]];
  for (const [text, index, kind, place, tokens] of parts) {
    const part = { text, index, kind, place, tokens };
    if (index >= 0) {
      paragraphs.at(-1).push({ ...part, text: text.replace(/\r?\n|\r/g, "↵") });
      if (/[\n\r]/.test(text)) paragraphs.push([]);
      continue;
    }
    text.split(/\r?\n|\r/).forEach((piece, line) => {
      if (line > 0) paragraphs.push([]);
      if (piece) paragraphs.at(-1).push({ ...part, text: piece });
    });
  }
  if (paragraphs.length > 1 && paragraphs.at(-1).length === 0) paragraphs.pop();
  return paragraphs;
}

let partTemplate = null;

function partElement(state, part, role) {
  partTemplate ??= Object.assign(document.createElement("span"), { tabIndex: -1 });
  partTemplate.setAttribute("role", "button");
  partTemplate.setAttribute("aria-pressed", "false");
  const element = partTemplate.cloneNode();
  const number = state.parts.length;
  element.className = `part ${part.kind}${part.text ? "" : " empty"}`;
  // Left out of what decides the direction of the paragraph.
  if (part.kind === "special") element.dir = "ltr";
  element.textContent = part.text || "·";
  element.setAttribute("aria-label", spokenToken(numberedAs(role), part.place, part.text || "no letters", part.kind));
  element.number = number;
  state.parts.push({ ...part, element, role, level: 0 });
  return element;
}

function numberedAs(role) {
  return { query: "Query", key: "Key" }[role] ?? "Token";
}

function partOf(state, event) {
  const element = event.target.closest?.(".part");
  return element ? state.parts[element.number] : null;
}

// Left and right follow what the eye sees: in a paragraph that runs right to left, left is onward.
function partAfterKey(state, part, key) {
  const at = part.element.number;
  const onward = getComputedStyle(part.element.parentElement).direction === "rtl" ? -1 : 1;
  if (key === "ArrowRight") return state.parts[at + onward];
  if (key === "ArrowLeft") return state.parts[at - onward];
  if (key === "ArrowDown") return partOnNextLine(state, part, 1);
  if (key === "ArrowUp") return partOnNextLine(state, part, -1);
  if (key === "Home") return state.parts[0];
  return key === "End" ? state.parts.at(-1) : null;
}

// The nearest part, across, of the first line that lies fully below (step 1) or above (step -1).
function partOnNextLine(state, part, step) {
  const middleOf = ({ left, right }) => (left + right) / 2;
  const from = part.element.getBoundingClientRect();
  let [line, best] = [null, null];
  for (let at = part.element.number + step; at >= 0 && at < state.parts.length; at += step) {
    const box = state.parts[at].element.getBoundingClientRect();
    const isBeyond = step > 0 ? box.top >= from.bottom - 2 : box.bottom <= from.top + 2;
    if (!line && !isBeyond) continue;
    line ??= box;
    if (step > 0 ? box.top >= line.bottom - 2 : box.bottom <= line.top + 2) break;
    const distance = Math.abs(middleOf(box) - middleOf(from));
    if (!best || distance < best.distance) best = { distance, part: state.parts[at] };
  }
  return best?.part ?? state.parts[part.element.number + step];
}

function focusPart(state, part) {
  if (state.stop !== part.element) {
    state.stop.tabIndex = -1;
    part.element.tabIndex = 0;
    state.stop = part.element;
  }
}

// The piece of a part under the pointer, as one part may run over several lines.
function pieceOf(part, event) {
  const boxes = [...part.element.getClientRects()];
  const under = ({ left, right, top, bottom }) => event.clientX >= left - 1 && event.clientX <= right + 1
    && event.clientY >= top - 1 && event.clientY <= bottom + 1;
  return (event.clientX === undefined ? null : boxes.find(under)) ?? boxes[0];
}
