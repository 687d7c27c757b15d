// The picture of the head view on the screen: its measures, the lines, and the numbers at their ends.
// Plain functions without import or export: Python puts this text in front of headview.js.

const BOX_REM = { narrow: 32, wide: 42 };
// The page's head and the controls above the box, and the note below it.
const AROUND_BOX_REM = 25;
const SHORTEST_BOX_REM = 20;
const FAINTEST = { resting: 0.16, isolated: 0.05 };
const LEAVING_SHARE = 0.3;

// Alone on the page the view has room: longer labels, taller rows and box.
function layoutHeadview(state) {
  const { root, rows, cols } = state;
  const [rem, width] = [remPixels(), root.clientWidth];
  const [count, room] = [Math.max(rows, cols), clamp((width / rem - 36) / 20, 0, 1)];
  const most = BOX_REM.narrow + room * (BOX_REM.wide - BOX_REM.narrow);
  const box = Math.min(most, roomInWindow(state.theme, AROUND_BOX_REM, SHORTEST_BOX_REM)) * rem;
  const rowHeight = Math.round(clamp(box / count, 1.16 * rem, (1.47 + 0.4 * room) * rem));
  const font = Math.round((0.8 + 0.1 * room) * rem);
  const widest = Math.max(3 * rem, width * 0.31, (width - 22 * rem) / 2);
  const column = Math.ceil(clamp(longestToken(state, font) + 0.9 * rem, 3 * rem, widest));
  const height = count * rowHeight;
  return { rem, ratio: devicePixelRatio || 1, rowHeight, font, column, height,
    visible: Math.min(height, Math.round(box)) };
}

function longestToken({ header, theme }, font) {
  const context = measuring(`${font}px ${theme.codeFont}`);
  return [...rowNames(header), ...header.col_labels]
    .reduce((longest, label) => Math.max(longest, context.measureText(label.slice(0, 120)).width), 0);
}

function paintHeadview(state) {
  const layout = layoutHeadview(state);
  state.layout = layout;
  const { style } = state.root;
  style.setProperty("--column", `${layout.column}px`);
  style.setProperty("--row", `${layout.rowHeight}px`);
  style.setProperty("--token-font", `${layout.font}px`);
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
  publishFigure(state.header.figure, () => headviewSnapshot(state));
}

function drawHeadview(state) {
  const { context, layout, box, root, lines } = state;
  if (state.unseen) revealToken(state);
  const [first, last] = visibleTokens(state);
  const visible = lines.filter(({ row, col }) => Math.max(row, col) >= first && Math.min(row, col) <= last);
  const drawn = visible.slice(0, LINE_CAP);
  context.clearRect(0, 0, layout.width, layout.visible);
  context.save();
  context.translate(0, -box.scrollTop);
  strokeLines(state, context, layout, drawn, [first, last]);
  if (state.otherSide) printStrongest(state, context, layout, state.otherSide);
  context.restore();
  root.dataset.lines = drawn.length;
  state.note.textContent = describeView(state, drawn.length, visible.length);
  markDrawn(root);
}

// Scrolls the sheet, never the page, to what another figure picked.
function revealToken(state) {
  const { box, layout: { rowHeight, visible }, unseen: { index } } = state;
  const top = index * rowHeight;
  if (top < box.scrollTop || top + rowHeight > box.scrollTop + visible) box.scrollTop = top - visible / 3;
  state.unseen = null;
}

// First and last token that the box shows at least in part.
function visibleTokens({ box, layout: { rowHeight, visible } }) {
  return [Math.floor(box.scrollTop / rowHeight), Math.ceil((box.scrollTop + visible) / rowHeight) - 1];
}

// Weakest first, so that the strong ones end up on top. At rest, lines that leave the box stay in the
// background: many of them together would hide those that can be followed.
function strokeLines(state, context, { column, width, rowHeight }, lines, [first, last]) {
  const { colours, strongest, otherSide } = state;
  const faintest = otherSide ? FAINTEST.isolated : FAINTEST.resting;
  const [left, right] = [column + 2, width - column - 2];
  const bend = (right - left) * 0.45;
  const inks = colours.map(cssColour);
  context.lineCap = "round";
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    const { head, row, col, weight } = lines[i];
    const strength = weight / strongest;
    const [from, to] = [(row + 0.5) * rowHeight, (col + 0.5) * rowHeight];
    context.strokeStyle = inks[head];
    const leaves = Math.min(row, col) < first || Math.max(row, col) > last;
    const opacity = faintest + (1 - faintest) * Math.min(1, strength) ** 0.7;
    context.globalAlpha = leaves && !otherSide ? LEAVING_SHARE * opacity : opacity;
    context.lineWidth = 1 + 1.6 * strength;
    context.beginPath();
    context.moveTo(left, from);
    context.bezierCurveTo(left + bend, from, right - bend, to, right, to);
    context.stroke();
  }
  context.globalAlpha = 1;
}

function printStrongest({ theme }, context, { column, width, rowHeight, font, rem }, { side, weights, strongest }) {
  context.font = `bold ${Math.round(font * 0.95)}px ${theme.font}`;
  context.textBaseline = "middle";
  context.direction = "ltr";
  context.textAlign = side === 0 ? "left" : "right";
  for (const index of strongest) {
    const text = weights[index].toFixed(2);
    const y = (index + 0.5) * rowHeight;
    const length = context.measureText(text).width + 0.5 * rem;
    const edge = side === 0 ? column : width - column;
    context.fillStyle = cssColour(theme.background);
    context.fillRect(side === 0 ? edge : edge - length, y - font * 0.6, length, font * 1.2);
    context.fillStyle = cssColour(theme.text);
    context.fillText(text, edge + (side === 0 ? 0.25 : -0.25) * rem, y);
  }
}
