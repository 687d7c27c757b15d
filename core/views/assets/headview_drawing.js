// The picture of the head view: its measures, the lines on the screen, and the whole sheet as an export draws it.
// Plain functions without import or export: Python puts this text in front of headview.js.

const BOX_REM = { narrow: 32, wide: 42 };
const TALLEST_SHEET = 15000;
const FAINTEST = { resting: 0.16, isolated: 0.05 };
const LEAVING_SHARE = 0.3;

// Alone on the page the view has room: longer labels, taller rows and box.
function layoutHeadview(state) {
  const { root, rows, cols, theme, header, canvas } = state;
  const [rem, width] = [remPixels(), root.clientWidth];
  const [count, room] = [Math.max(rows, cols), clamp((width / rem - 36) / 20, 0, 1)];
  const box = (BOX_REM.narrow + room * (BOX_REM.wide - BOX_REM.narrow)) * rem;
  const rowHeight = Math.round(clamp(box / count, 1.16 * rem, (1.47 + 0.4 * room) * rem));
  const font = Math.round((0.8 + 0.1 * room) * rem);
  const context = canvas.getContext("2d");
  context.font = `${font}px ${theme.codeFont}`;
  const needed = [...header.row_labels, ...header.col_labels]
    .reduce((longest, label) => Math.max(longest, context.measureText(label.slice(0, 120)).width), 0);
  const widest = Math.max(3 * rem, width * 0.31, (width - 22 * rem) / 2);
  const column = Math.ceil(clamp(needed + 0.9 * rem, 3 * rem, widest));
  const height = count * rowHeight;
  return { rem, ratio: devicePixelRatio || 1, rowHeight, font, column, height,
    visible: Math.min(height, Math.round(box)) };
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
  context.font = `bold ${Math.round(font * 0.9)}px ${theme.font}`;
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

// The whole sheet, not only what the box shows. A held token stays held; one that is merely hovered does not.
function headviewSnapshot(state) {
  const layout = { ...state.layout };
  const count = Math.max(state.rows, state.cols);
  layout.rowHeight = Math.min(layout.rowHeight, TALLEST_SHEET / count);
  layout.font = Math.min(layout.font, layout.rowHeight * 0.85);
  const held = { ...state, pointed: null, otherSide: state.locked && otherSideWeights(state, state.locked) };
  const lines = linesOf(state, state.locked).slice(0, LINE_CAP);
  const legend = headLegend(state, layout);
  const top = legend.height + layout.rem * 1.6;
  const height = top + count * layout.rowHeight;
  const draw = (context) => {
    drawHeadLegend(state, context, layout, legend.entries);
    drawSideTitles(state, context, layout, top - layout.rem * 0.5);
    context.save();
    context.translate(0, top);
    drawSheetTokens(held, context, layout);
    strokeLines(held, context, layout, lines, [0, count]);
    if (held.otherSide) printStrongest(held, context, layout, held.otherSide);
    context.restore();
    drawSheetNote(held, context, layout, lines.length, height + layout.rem);
  };
  return { width: layout.width, height: Math.ceil(height + 1.6 * layout.rem), draw, legend: null };
}

// Where the name and colour of each head shown stand: "head 3 ■", in as many lines as they need.
function headLegend({ header, shown, context, theme }, { rem, width }) {
  context.font = `${0.75 * rem}px ${theme.font}`;
  let [x, y] = [0, 0.7 * rem];
  const entries = [...shown].map((head) => {
    const text = `head ${header.heads[head]}`;
    const length = context.measureText(text).width + 2.4 * rem;
    if (x > 0 && x + length > width) [x, y] = [0, y + 1.3 * rem];
    x += length;
    return { head, text, x: x - length, y };
  });
  return { entries, height: y + 0.7 * rem };
}

function drawHeadLegend({ colours, theme }, context, { rem }, entries) {
  context.font = `${0.75 * rem}px ${theme.font}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.direction = "ltr";
  for (const { head, text, x, y } of entries) {
    context.fillStyle = cssColour(colours[head]);
    context.fillRect(x, y - 0.35 * rem, 0.7 * rem, 0.7 * rem);
    context.fillStyle = cssColour(theme.text);
    context.fillText(text, x + 1 * rem, y);
  }
}

function drawSheetNote(state, context, { rem }, drawn, y) {
  const { header, locked, shown } = state;
  const places = locked && (locked.side === 0 ? header.row_places : header.col_places);
  const rule = locked
    ? `${drawn} lines of ${titleOf(state, locked.side)} ${places[locked.index]}${
      shown.size > 1 ? ` · numbers: mean of ${shown.size} heads` : ""}`
    : restingRule(state);
  context.font = `${0.73 * rem}px ${state.theme.font}`;
  context.fillStyle = cssColour(state.theme.muted);
  context.textAlign = "left";
  context.direction = "ltr";
  context.fillText(drawn === LINE_CAP ? `${rule} · only the strongest ${LINE_CAP} drawn` : rule, 0, y);
}

function drawSideTitles(state, context, { column, width, rem }, y) {
  context.font = `${0.73 * rem}px ${state.theme.font}`;
  context.fillStyle = cssColour(state.theme.muted);
  context.textBaseline = "middle";
  context.direction = "ltr";
  context.textAlign = "right";
  context.fillText(titleOf(state, 0), column - 0.4 * rem, y);
  context.textAlign = "left";
  context.fillText(titleOf(state, 1), width - column + 0.4 * rem, y);
}

function drawSheetTokens(state, context, layout) {
  const { header, theme, otherSide, locked } = state;
  const { column, width, rowHeight, font, rem } = layout;
  const shadeAt = memoisedShades(state);
  [header.row_breaks, header.col_breaks].forEach((breaks, side) => {
    context.fillStyle = cssColour(theme.border);
    for (const index of breaks ?? []) context.fillRect(side === 0 ? 0 : width - column, index * rowHeight, column, 1);
  });
  [[header.row_labels, header.row_kinds], [header.col_labels, header.col_kinds]].forEach(([labels, kinds], side) => {
    labels.forEach((label, index) => {
      const weight = side === otherSide?.side ? otherSide.weights[index] : 0;
      const isHeld = samePlace(locked, { side, index });
      if (weight > 0.01) {
        context.fillStyle = shadeAt(weight);
        context.fillRect(side === 0 ? 0 : width - column, index * rowHeight, column, rowHeight);
      }
      context.save();
      context.font = `${isHeld ? "bold " : ""}${font}px ${theme.codeFont}`;
      context.fillStyle = labelInk(theme, kinds[index], isHeld || weight > 0.01);
      const edge = side === 0 ? column - 0.4 * rem : width - column + 0.4 * rem;
      context.translate(edge, (index + 0.5) * rowHeight);
      drawLabel(context, label, kinds[index], side === 0 ? "right" : "left", column - 0.8 * rem);
      context.restore();
    });
  });
}
