// The token view's numbers: the weights to or from one token, their colours, and the words about them.
// Plain functions without import or export: Python puts this text in front of text.js.

const TEXT_SCALES = {
  linear: { position: (share) => share, share: (position) => position, remark: "linear scale" },
  sqrt: { position: Math.sqrt, share: (position) => position ** 2, remark: "square-root scale" },
  log: {
    position: (share) => 1 + Math.log10(share) / 4,
    share: (position) => 10 ** (4 * position - 4),
    remark: "log scale, 4 decades",
  },
};
const FAINTEST_LEVEL = 5;
const STRONGEST_NAMED = 4;

function scaleOf({ header }) {
  return TEXT_SCALES[header.scale] ?? TEXT_SCALES.sqrt;
}

// Side 0: the token as a query, coloured is what it attends to. Side 1: as a key, coloured is what attends to it.
function sideOf(state, part) {
  if (part.role !== "both") return part.role === "query" ? 0 : 1;
  return state.direction === "from" ? 1 : 0;
}

function standsOn(part, side) {
  return part.role === "both" || part.role === (side === 0 ? "query" : "key");
}

// The part that holds a token position on one side; null for a token that is left out.
function partAtPlace(state, side, place) {
  if (place === null || place === undefined) return null;
  return state.parts.find((part) => standsOn(part, side) && part.place <= place && place < part.place + part.tokens)
    ?? null;
}

function focusOfPart(state, part) {
  return part && { part, side: sideOf(state, part) };
}

// What the reader holds stays coloured while the pointer asks other parts for their weight.
function focusInText(state) {
  return state.held ?? focusOfPart(state, state.pointed);
}

// Weights between the token in focus and each token of the other side; null where Python has not sent them.
function weightsInFocus(state, { part, side }) {
  const { weights, rows, cols, header, row, column } = state;
  if (header.dense) {
    if (side === 0) return weights.subarray(part.index * cols, (part.index + 1) * cols);
    return Float32Array.from({ length: rows }, (_, index) => weights[index * cols + part.index]);
  }
  const sent = partAtPlace(state, side, header.pick?.[side]);
  return sent?.index === part.index ? (side === 0 ? row : column) ?? null : null;
}

function strongestWeight(weights) {
  return weights.reduce((most, weight) => (weight > most ? weight : most), 0);
}

// Fills in what is shown of the focus: { focus, weights, top }, weights null while they are awaited.
function lookAtFocus(state) {
  const focus = focusInText(state);
  const weights = focus && weightsInFocus(state, focus);
  const own = weights ? strongestWeight(weights) : 0;
  const top = state.header.max > 0 ? state.header.max : own;
  return { focus, weights, top: top > 0 ? top : 1, own };
}

function levelOf(state, { focus, weights, top }, part) {
  if (!weights || !standsOn(part, 1 - focus.side)) return 0;
  const weight = weights[part.index];
  if (Number.isNaN(weight)) return MASKED;
  const level = weight > 0 ? Math.round(TOP_LEVEL * clamp(scaleOf(state).position(weight / top), 0, 1)) : 0;
  return level < FAINTEST_LEVEL ? 0 : level;
}

// Only parts whose colour changes are touched: a long text has thousands.
function colourParts(state) {
  state.look = lookAtFocus(state);
  const { theme, look } = state;
  for (const part of state.parts) {
    const level = levelOf(state, look, part);
    if (level === part.level) continue;
    part.level = level;
    const { style } = part.element;
    style.backgroundColor = level > 0 && level < MASKED ? cssColour(theme.ramp[level]) : "";
    style.color = level === MASKED ? cssColour(theme.muted) : level > 0 ? cssColour(inkOn(theme.ramp[level])) : "";
  }
  markFocus(state, look.focus?.part ?? null, Boolean(state.held));
}

function markFocus(state, part, isHeld) {
  if (state.marked) {
    state.marked.element.classList.remove("focused", "held");
    state.marked.element.setAttribute("aria-pressed", "false");
  }
  state.marked = part;
  part?.element.classList.add("focused");
  part?.element.classList.toggle("held", isHeld);
  part?.element.setAttribute("aria-pressed", String(isHeld));
}

function shortNumber(weight) {
  if (weight === 0) return "0";
  return weight < 0.001 ? weight.toExponential(1) : String(Number(weight.toPrecision(weight < 0.1 ? 2 : 3)));
}

// [text, weight] of the strongest tokens of the other side, each token once.
function strongestParts(state, { focus, weights }) {
  const seen = new Map();
  for (const part of state.parts) {
    const weight = weights[part.index];
    if (standsOn(part, 1 - focus.side) && weight > 0 && !seen.has(part.index)) seen.set(part.index, [part, weight]);
  }
  return [...seen.values()].sort((a, b) => b[1] - a[1]).slice(0, STRONGEST_NAMED);
}

// The note as pieces, as in tooltips: { text } or { token }.
function describeFocus(state) {
  const { look, header, direction } = state;
  const { focus, weights } = look;
  if (!focus) {
    const both = header.blocks.some(({ role }) => role === "both");
    if (!both) return [{ text: "Click a query to see what it attends to, or a key to see what attends to it." }];
    return [{ text: `Click a word to see ${direction === "from" ? "what attends to it" : "what it attends to"}.` }];
  }
  const side = focus.side === 0 ? "query" : "key";
  const name = [{ token: visibleText(focus.part) }, { text: ` (${side} ${focus.part.place})` }];
  const opening = focus.side === 0
    ? [{ text: "What " }, ...name, { text: " attends to" }] : [{ text: "What attends to " }, ...name];
  if (!weights) return [...opening, { text: state.held ? ": its weights are on their way." : ": click to see it." }];
  const strongest = strongestParts(state, look);
  if (strongest.length === 0) return [...opening, { text: ": nothing." }];
  const listed = strongest.flatMap(([part, weight], rank) => [
    { text: rank > 0 ? ", " : "; strongest: " }, { token: visibleText(part) }, { text: ` ${shortNumber(weight)}` }]);
  return [...opening, ...listed, { text: "." }];
}

function visibleText(part) {
  return part.text.trim() || { "": "·" }[part.text] || "␣";
}

function legendOfText(state) {
  const { weights, top } = state.look;
  const { share, remark } = scaleOf(state);
  const tick = (position) => (weights ? shortNumber(top * share(position)) : position === 1 ? "strongest" : "");
  const span = state.header.max > 0 ? "" : "full colour: the largest weight here";
  const masked = weights?.some(Number.isNaN) ? "grey letters: masked" : "";
  return {
    ticks: [state.header.scale === "log" && weights ? `≤ ${tick(0)}` : "0", tick(0.5), tick(1)],
    remark: [remark, span, masked].filter(Boolean).join(" · "),
    masked: false,
  };
}
