// What the canvas components share: the message format, DOM helpers, token labels, tooltip and legend.
// Plain functions without import or export: Python puts this text in front of each component.

const TALK_SPARES_REM = 4;

const ARRAY_TYPES = { uint8: Uint8Array, uint16: Uint16Array, float16: Uint16Array, float32: Float32Array };

// Message: u32 header length, JSON header, zeros up to a multiple of 4, then the arrays it names, each
// padded likewise. All offsets count from the start of the message.
function unpack(message) {
  const bytes = new Uint8Array(message.byteLength);
  bytes.set(message instanceof ArrayBuffer ? new Uint8Array(message) : message);
  if (bytes.length < 4) throw new Error(`Headlight data: ${bytes.length} bytes hold no header length`);
  const headerLength = new DataView(bytes.buffer).getUint32(0, true);
  if (4 + headerLength > bytes.length) {
    throw new Error(`Headlight data: header of ${headerLength} bytes in a message of ${bytes.length}`);
  }
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength)));
  const arrays = {};
  let offset = padded(4 + headerLength);
  for (const { name, dtype, shape } of header.arrays) {
    const Type = ARRAY_TYPES[dtype];
    if (!Type) throw new Error(`Headlight data: array "${name}" has the unknown dtype "${dtype}"`);
    const count = shape.reduce((product, length) => product * length, 1);
    const end = offset + count * Type.BYTES_PER_ELEMENT;
    if (end > bytes.length) {
      throw new Error(`Headlight data: array "${name}" ends at byte ${end} of ${bytes.length}`);
    }
    const values = new Type(bytes.buffer, offset, count);
    arrays[name] = { values: dtype === "float16" ? decodeHalves(values) : values, shape };
    offset = padded(end);
  }
  if (offset !== bytes.length) {
    throw new Error(`Headlight data: the arrays end at byte ${offset} of ${bytes.length}`);
  }
  return { header, arrays };
}

function padded(length) {
  return Math.ceil(length / 4) * 4;
}

let halfTable = null;

function decodeHalves(halves) {
  halfTable ??= Float32Array.from({ length: 65536 }, (_, bits) => halfToNumber(bits));
  const numbers = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i += 1) numbers[i] = halfTable[halves[i]];
  return numbers;
}

function halfToNumber(bits) {
  const sign = bits >> 15 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function sameValues(one, other) {
  if (one?.length !== other?.length || !one) return false;
  for (let i = 0; i < one.length; i += 1) if (one[i] !== other[i]) return false;
  return true;
}

function addElement(parent, tag, className, attributes = {}) {
  const element = document.createElement(tag);
  element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
}

// Sizes follow the root font, which talk mode enlarges.
function remPixels() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}

// Gives a canvas its size in CSS pixels and a context scaled to device pixels.
function sizeCanvas(canvas, width, height, pixelRatio) {
  canvas.width = Math.max(1, Math.round(width * pixelRatio));
  canvas.height = Math.max(1, Math.round(height * pixelRatio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  return context;
}

// Height in rem that a figure may take so that it and what stands below it end in the window; `around` is what stands
// above and below it, in rem. Never less than `least`. Talk mode has a lower head.
function roomInWindow({ talk }, around, least) {
  return Math.max(least, innerHeight / remPixels() - around + (talk ? TALK_SPARES_REM : 0));
}

// Repaints when the width, the root font, the pixel ratio or the height of the window changes; heights of components
// follow from these, so watching them too would loop. A font that arrives late also asks for a new paint.
function repaintOnResize(state, paint) {
  const { root } = state;
  state.remProbe ??= addElement(root, "span", "rem-probe", { "aria-hidden": "true" });
  const measure = () => [root.clientWidth, state.remProbe.offsetWidth, devicePixelRatio, innerHeight].join();
  let painted = measure();
  const check = whileThere(state, () => {
    // What is hidden has no width, and comes back as it was.
    if (root.clientWidth === 0 || measure() === painted) return;
    painted = measure();
    paint();
  });
  begin(state, "size", () => {
    const observer = new ResizeObserver(check);
    observer.observe(root);
    observer.observe(state.remProbe);
    window.addEventListener("resize", check);
    return () => {
      observer.disconnect();
      window.removeEventListener("resize", check);
    };
  });
  if (document.fonts.status === "loading") document.fonts.ready.then(whileThere(state, paint));
}

function markDrawn(root) {
  root.dataset.drawn = Number(root.dataset.drawn || 0) + 1;
}

// One tab stop for a whole group of buttons: arrow keys move it.
function moveTabStop(buttons, target) {
  for (const button of buttons) button.tabIndex = button === target ? 0 : -1;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const UPRIGHT = new RegExp(
  "^(?:\\p{scx=Han}|\\p{scx=Hiragana}|\\p{scx=Katakana}|\\p{scx=Hangul}"
  + "|[\\u3000-\\u303f\\uff00-\\uffef]|\\p{RI}|\\p{Extended_Pictographic})", "u");
const FIRST_STRONG = /\p{L}/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

function splitGraphemes(text, limit = Infinity) {
  const parts = [];
  for (const { segment } of graphemes.segment(text)) {
    if (parts.length >= limit) break;
    parts.push(segment);
  }
  return parts;
}

// Scripts that are read top to bottom without turning the letters.
function standsUpright(text) {
  const parts = splitGraphemes(text, 40);
  return parts.length > 0 && parts.every((part) => UPRIGHT.test(part));
}

function textDirection(text) {
  return RIGHT_TO_LEFT.test(FIRST_STRONG.exec(text)?.[0] ?? "") ? "rtl" : "ltr";
}

// Cuts between graphemes, so no emoji family or accent is ever split.
function clipText(context, text, width) {
  if (text.length < 300 && context.measureText(text).width <= width) return text;
  const parts = splitGraphemes(text, 300);
  let [fits, tooLong] = [0, parts.length + 1];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    const candidate = `${parts.slice(0, middle).join("")}…`;
    if (context.measureText(candidate).width <= width) fits = middle;
    else tooLong = middle;
  }
  return `${parts.slice(0, fits).join("")}…`;
}

function labelInk(theme, kind, emphasised) {
  if (kind === "unknown") return cssColour(theme.amber);
  return cssColour(kind === "special" && !emphasised ? theme.muted : theme.text);
}

// The length a label needs along its direction of reading.
function labelLength(context, text, upright, lineHeight) {
  if (upright) return splitGraphemes(text, 100).length * lineHeight;
  return context.measureText(text.slice(0, 300)).width;
}

// Draws one label at the origin of the context, reading away from it ("left") or up to it ("right").
function drawLabel(context, text, kind, align, width) {
  const shown = clipText(context, text, width);
  context.direction = textDirection(text);
  context.textAlign = align;
  context.textBaseline = "middle";
  context.fillText(shown, 0, 0);
  if (kind === "unknown") {
    const length = context.measureText(shown).width;
    drawDots(context, align === "right" ? -length : 0, length);
  }
}

// What stands beside the rows: "n → o" where a row is about the token that comes next.
function rowNames(header) {
  return header.row_names ?? header.row_labels;
}

function drawStackedLabel(context, text, kind, height, lineHeight) {
  const room = Math.max(1, Math.floor(height / lineHeight));
  const parts = splitGraphemes(text, room + 1);
  if (parts.length > room) parts.splice(room - 1, Infinity, "⋮");
  context.textAlign = "center";
  context.textBaseline = "middle";
  parts.forEach((part, i) => context.fillText(part, 0, (i - parts.length + 0.5) * lineHeight));
  if (kind === "unknown") drawDots(context, -lineHeight / 2, lineHeight, 1);
}

function drawDots(context, start, length, y = parseFloat(context.font.match(/([\d.]+)px/)[1]) * 0.62) {
  for (let x = start; x < start + length; x += 3) context.fillRect(x, y, 1.5, 1.5);
}

// Tooltip text is a list of lines, each a list of pieces. Tokens are isolated from each other's direction,
// and cut one by one, so that a long one does not push the other out.
function showTooltip(tooltip, lines, anchor) {
  tooltip.replaceChildren(...lines.map(({ className, pieces }) => {
    const line = document.createElement("div");
    line.className = className;
    for (const piece of pieces) {
      const part = addElement(line, piece.token === undefined ? "span" : "bdi", piece.kind ?? "");
      part.textContent = piece.text ?? shorten(piece.token, 40);
    }
    return line;
  }));
  tooltip.classList.add("shown");
  placeTooltip(tooltip, anchor);
}

function shorten(text, limit) {
  const parts = splitGraphemes(text, limit + 1);
  return parts.length > limit ? `${parts.slice(0, limit).join("")}…` : text;
}

function hideTooltip(tooltip) {
  tooltip.classList.remove("shown");
}

// Beside the anchor, on the first side with room; never outside the component or the window.
function placeTooltip(tooltip, { left, top, right, bottom }) {
  const root = tooltip.offsetParent;
  const box = root.getBoundingClientRect();
  const [width, height, space] = [tooltip.offsetWidth, tooltip.offsetHeight, 8];
  const lowest = Math.min(root.clientHeight, innerHeight - box.top) - height;
  const highest = Math.max(0, -box.top);
  const x = right + space + width <= root.clientWidth ? right + space : left - space - width;
  const y = bottom + space <= lowest ? bottom + space : top - space - height;
  tooltip.style.left = `${clamp(x, 0, Math.max(0, root.clientWidth - width))}px`;
  tooltip.style.top = `${clamp(y, highest, Math.max(highest, lowest))}px`;
}

// A colour bar with ticks at positions 0..1, a remark on the scale, and what hatching means.
function renderLegend(legend, { ticks, remark, masked }) {
  legend.replaceChildren();
  const bar = addElement(legend, "div", "legend-bar");
  addElement(bar, "div", "legend-colours");
  const scale = addElement(bar, "div", "legend-ticks");
  for (const tick of ticks) addElement(scale, "span", "").textContent = tick;
  if (remark) addElement(legend, "span", "legend-remark").textContent = remark;
  if (masked) addElement(legend, "span", "legend-masked").textContent = "masked";
}

function kindRemark(kind) {
  return { unknown: "unknown to the model", special: "special token" }[kind] ?? "";
}

function spokenToken(title, index, label, kind) {
  return [`${title} ${index} ${label}`, kindRemark(kind)].filter(Boolean).join(", ");
}
