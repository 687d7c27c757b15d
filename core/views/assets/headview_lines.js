// The lines of the head view: which are drawn, how strong each is, and what the tokens at their ends weigh.
// Plain functions without import or export: Python puts this text in front of headview.js.

const LINE_CAP = 20000;
const NUMBERS_SHOWN = 5;

function focusedPlace(state) {
  return state.pointed ?? state.locked;
}

// Weights travel as bytes: shares of their row's largest. Of long texts only the strongest keys of each
// query travel, with their columns, strongest first.
function readWeights(state, header, arrays) {
  state.dense = header.dense;
  state.heads = header.heads.length;
  [state.rows, state.cols] = [header.row_labels.length, header.col_labels.length];
  state.weights = arrays.weights.values;
  state.columns = arrays.columns?.values;
  state.kept = arrays.weights.shape[2];
  state.rowMax = arrays.row_max.values;
  state.strongest = state.rowMax.reduce((a, b) => Math.max(a, b), 1e-9);
}

function weightAt(state, head, row, col) {
  const { weights, columns, rowMax, rows, kept, dense } = state;
  const at = head * rows + row;
  if (dense) return (weights[at * kept + col] / 255) * rowMax[at];
  const rank = columns.subarray(at * kept, (at + 1) * kept).indexOf(col);
  return rank < 0 ? 0 : (weights[at * kept + rank] / 255) * rowMax[at];
}

// Positions in `weights` of the strongest entries of a row, at most `count`.
function strongestOf({ weights, rows, kept, dense }, head, row, count) {
  const start = (head * rows + row) * kept;
  if (!dense) return Array.from({ length: Math.min(count, kept) }, (_, rank) => start + rank);
  const best = [];
  for (let at = start; at < start + kept; at += 1) {
    const value = weights[at];
    if (value === 0 || (best.length === count && value <= weights[best.at(-1)])) continue;
    let rank = best.length;
    while (rank > 0 && weights[best[rank - 1]] < value) rank -= 1;
    best.splice(rank, 0, at);
    if (best.length > count) best.pop();
  }
  return best;
}

// Everything that depends on the token in focus but not on scrolling. Lines come strongest first: a few per
// query and head at rest, all lines of the token otherwise.
function focusOn(state) {
  const place = focusedPlace(state);
  state.focusMoved = false;
  state.lines = linesOf(state, place);
  state.otherSide = place ? otherSideWeights(state, place) : null;
  shadeTokens(state, place);
}

function linesOf(state, place) {
  const lines = place ? isolatedLines(state, place) : restingLines(state);
  return lines.sort((a, b) => b.weight - a.weight);
}

function isolatedLines(state, { side, index }) {
  const lines = [];
  const count = side === 0 ? state.cols : state.rows;
  for (const head of state.shown) {
    for (let other = 0; other < count; other += 1) {
      const [row, col] = side === 0 ? [index, other] : [other, index];
      const weight = weightAt(state, head, row, col);
      if (weight > 0) lines.push({ head, row, col, weight });
    }
  }
  return lines;
}

function restingLines(state) {
  const { rows, kept, dense, weights, columns, rowMax, topK, threshold } = state;
  const lines = [];
  for (const head of state.shown) {
    for (let row = 0; row < rows; row += 1) {
      const start = head * rows + row;
      for (const at of strongestOf(state, head, row, topK)) {
        const weight = (weights[at] / 255) * rowMax[start];
        if (weight <= threshold) break;
        lines.push({ head, row, col: dense ? at - start * kept : columns[at], weight });
      }
    }
  }
  return lines;
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
  const shadeAt = memoisedShades(state);
  state.tokens.forEach((tokens, side) => tokens.forEach((token, index) => {
    const weight = side === otherSide?.side ? otherSide.weights[index] : 0;
    const look = [weight > 0.01 ? shadeAt(weight) : "", samePlace(place, { side, index }),
      samePlace(state.locked, { side, index })];
    if (sameValues(token.look, look)) return;
    token.look = look;
    token.classList.toggle("shaded", Boolean(look[0]));
    token.style.background = look[0];
    token.classList.toggle("focused", look[1]);
    token.setAttribute("aria-pressed", String(look[2]));
  }));
}

// Never so strong that the token's own text falls below a readable contrast.
function memoisedShades({ shown, colours, theme }) {
  const colour = shown.size === 1 ? colours[[...shown][0]] : theme.primary;
  const known = new Map();
  return (weight) => {
    const step = Math.round(64 * Math.sqrt(weight));
    if (!known.has(step)) {
      let share = 0.1 + (0.6 * step) / 64;
      while (share > 0.05 && contrast(mixColours(theme.background, colour, share), theme.text) < 4.8) share -= 0.05;
      known.set(step, cssColour(mixColours(theme.background, colour, share)));
    }
    return known.get(step);
  };
}

function speakStrongest(state, place) {
  const { header } = state;
  const [labels, places] = place.side === 0
    ? [header.col_labels, header.col_places] : [header.row_labels, header.row_places];
  const { side, weights, strongest } = otherSideWeights(state, place);
  const spoken = strongest.slice(0, 3)
    .map((index) => `${titleOf(state, side)} ${places[index]} ${labels[index]} ${weights[index].toFixed(2)}`);
  state.live.textContent = spoken.length > 0 ? `Strongest: ${spoken.join(", ")}` : "No weight above 0.01";
}

function titleOf({ header }, side) {
  return side === 0 ? header.row_title : header.col_title;
}
