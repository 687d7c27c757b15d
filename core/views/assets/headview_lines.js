// The lines of the head view: which are drawn, how strong each is, and what the tokens at their ends show.
// Plain functions without import or export: Python puts this text in front of headview.js.

const LINE_CAP = 20000;
const FAINTEST = { resting: 0.16, isolated: 0.05 };
const LEAVING_SHARE = 0.3;
const NUMBERS_SHOWN = 5;

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
      if (weight > 0) lines.push({ head, row, col, weight });
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
  const isTouching = ({ row, col }) => {
    const [first, last] = visibleTokens(state);
    return Math.max(row, col) >= first && Math.min(row, col) <= last;
  };
  const top = box.scrollTop;
  const visible = lines.filter(isTouching);
  const drawn = visible.slice(0, LINE_CAP);
  context.clearRect(0, 0, layout.width, layout.visible);
  drawLines(state, drawn, top);
  if (state.otherSide) printStrongest(state, top);
  root.dataset.lines = drawn.length;
  state.note.textContent = describeView(state, drawn.length, visible.length);
  markDrawn(root);
}

// First and last token that the box shows at least in part.
function visibleTokens({ box, layout: { rowHeight, visible } }) {
  return [Math.floor(box.scrollTop / rowHeight), Math.ceil((box.scrollTop + visible) / rowHeight) - 1];
}

// Weakest first, so that the strong ones end up on top. At rest, lines that leave the box stay in the
// background: many of them together would hide those that can be followed.
function drawLines(state, lines, scrolled) {
  const { context, layout, colours, strongest } = state;
  const { column, width, rowHeight } = layout;
  const [first, last] = visibleTokens(state);
  const isolated = Boolean(state.otherSide);
  const faintest = isolated ? FAINTEST.isolated : FAINTEST.resting;
  const [left, right] = [column + 2, width - column - 2];
  const bend = (right - left) * 0.45;
  const inks = colours.map(cssColour);
  context.lineCap = "round";
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    const { head, row, col, weight } = lines[i];
    const strength = weight / strongest;
    const [from, to] = [(row + 0.5) * rowHeight - scrolled, (col + 0.5) * rowHeight - scrolled];
    context.strokeStyle = inks[head];
    const leaves = Math.min(row, col) < first || Math.max(row, col) > last;
    const opacity = faintest + (1 - faintest) * Math.min(1, strength) ** 0.7;
    context.globalAlpha = leaves && !isolated ? LEAVING_SHARE * opacity : opacity;
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
function describeView(state, drawn, wanted) {
  const { header, shown, locked, pointed, lines, rows, cols } = state;
  if (shown.size === 0) return "No head is shown.";
  const atRest = `top ${header.top_k} lines per query and head, weight > ${header.threshold}`;
  const parts = [pointed || locked ? `all ${lines.length} lines of the token` : atRest];
  if (locked && !pointed) parts.push("held: click it again or press Esc");
  if ((locked || pointed) && shown.size > 1) parts.push(`numbers: mean of ${shown.size} heads`);
  if (drawn < wanted) parts.push(`only the strongest ${drawn.toLocaleString("en")} lines drawn`);
  const [first, last] = visibleTokens(state);
  const count = Math.max(rows, cols);
  if (last - first + 1 < count) parts.push(`tokens ${first}–${last} of ${count}, scroll for more`);
  return parts.join(" · ");
}
