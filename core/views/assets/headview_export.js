// The head view as an export draws it: the whole sheet, whatever the card and the window show of it.
// Plain functions without import or export: Python puts this text in front of headview.js.

const TALLEST_SHEET = 15000;
// Of the paper, in rem; rows become denser for long texts, down to type that can still be read.
const SHEET = { width: 46, height: 50, tallestRow: 1.6, widestColumn: 0.4 };
const LOWEST_ROW = 11;

// A held token stays held; one that is merely pointed at does not.
function headviewSnapshot(state) {
  const layout = layoutSheet(state);
  const count = Math.max(state.rows, state.cols);
  const held = { ...state, pointed: null, otherSide: state.locked && otherSideWeights(state, state.locked) };
  const lines = linesOf(state, state.locked);
  const drawn = lines.slice(0, LINE_CAP);
  const legend = headLegend(state, layout);
  const top = legend.height + layout.rem * 1.6;
  const draw = (context) => {
    drawHeadLegend(state, context, layout, legend.entries);
    drawSideTitles(state, context, layout, top - layout.rem * 0.5);
    context.save();
    context.translate(0, top);
    drawSheetTokens(held, context, layout);
    strokeLines(held, context, layout, drawn, [0, count]);
    if (held.otherSide) printStrongest(held, context, layout, held.otherSide);
    context.restore();
  };
  const height = Math.ceil(top + count * layout.rowHeight);
  return { width: layout.width, height, rowHeight: layout.rowHeight, draw, legend: null,
    remark: exportWords(state, lines) };
}

// As wide as paper of its own, each column with the room that its words need.
function layoutSheet(state) {
  const rem = remPixels();
  const [count, width] = [Math.max(state.rows, state.cols), SHEET.width * rem];
  const comfortable = clamp((SHEET.height * rem) / count, LOWEST_ROW, SHEET.tallestRow * rem);
  const rowHeight = Math.min(comfortable, TALLEST_SHEET / count);
  const font = Math.min(0.9 * rem, rowHeight * 0.85);
  const column = Math.ceil(Math.min(longestToken(state, font) + 0.9 * rem, SHEET.widestColumn * width));
  return { rem, width, rowHeight, font, column };
}

// Where the name and colour of each head shown stand: "■ head 3", in columns of one width.
function headLegend({ header, shown, theme }, { rem, width }) {
  const context = measuring(`${0.75 * rem}px ${theme.font}`);
  const names = [...shown].map((head) => ({ head, text: `head ${header.heads[head]}` }));
  const widest = Math.max(0, ...names.map(({ text }) => context.measureText(text).width)) + 2.2 * rem;
  const across = Math.max(1, Math.floor(width / widest));
  const entries = names.map(({ head, text }, at) => (
    { head, text, x: (at % across) * widest, y: (0.7 + 1.3 * Math.floor(at / across)) * rem }));
  return { entries, height: 1.3 * Math.max(1, Math.ceil(names.length / across)) * rem };
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
  [[rowNames(header), header.row_kinds], [header.col_labels, header.col_kinds]].forEach(([labels, kinds], side) => {
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
