// The query-key view as an export draws it: steps, vectors, all keys, and the legend of the diverging colours.
// Plain functions without import or export: Python puts this text in front of querykey.js.

const TALLEST_KEYS = 14500;

function detailSnapshot(state) {
  const layout = { ...layoutDetail(state, Math.max(state.layout.width, 34 * remPixels())) };
  layout.row = Math.min(layout.row, TALLEST_KEYS / state.rows.length);
  const { rem, width } = layout;
  const look = { ...lookAtKey({ ...state, pointed: null, cursor: null }), active: false };
  const worked = `${nameOfKey(state, look.key)}: ${workedText(state, look.key)}`;
  const texts = [formulaText(state), worked, state.header.remark].filter(Boolean);
  const steps = texts.flatMap((text) => wrapText(measuring(`${0.8 * rem}px ${state.theme.codeFont}`), text, width));
  const [top, legend] = [steps.length * 1.3 * rem + 0.6 * rem, state.dims > 0 ? 2.6 * rem : 0];
  const head = top + headHeight(layout);
  const body = state.rows.length * layout.row;
  const draw = (context) => {
    setFont(context, 0.8 * rem, state.theme.codeFont);
    context.textAlign = "left";
    context.fillStyle = cssColour(state.theme.text);
    steps.forEach((line, index) => context.fillText(line, 0, (index + 0.5) * 1.3 * rem));
    context.save();
    context.translate(0, top);
    drawDetailHead(context, state, layout, look);
    context.translate(0, headHeight(layout));
    drawKeyRows(context, state, layout, [0, state.rows.length - 1], look);
    context.restore();
    if (legend) drawDivergingLegend(context, state, rem, head + body + 0.9 * rem);
  };
  return { width, height: Math.ceil(head + body + legend), draw, legend: null };
}

function nameOfKey(state, index) {
  const { header, keys } = state;
  if (index === keys) return header.steps.sink_name;
  return `key ${header.col_places[index]} \u2068${shorten(header.col_labels[index], 30)}\u2069`;
}

function drawDivergingLegend(context, { diverging, theme, largest }, rem, top) {
  const [width, height, steps] = [11 * rem, 0.7 * rem, 96];
  for (let step = 0; step < steps; step += 1) {
    context.fillStyle = cssColour(diverging[Math.round((step / (steps - 1)) * (diverging.length - 1))]);
    const start = (step * width) / steps;
    context.fillRect(start, top, Math.min(width - start, (2 * width) / steps), height);
  }
  context.strokeStyle = cssColour(theme.border);
  context.lineWidth = 1;
  context.strokeRect(0.5, top + 0.5, width - 1, height - 1);
  setFont(context, 0.76 * rem, theme.font);
  context.fillStyle = cssColour(theme.muted);
  productTicks(largest).forEach((tick, index) => {
    context.textAlign = ["left", "center", "right"][index];
    context.fillText(tick, (index / 2) * width, top + height + 0.65 * rem);
  });
  context.textAlign = "left";
  context.fillText(legendRemark(largest), width + 1.2 * rem, top + height / 2);
}

function productTicks({ product }) {
  return [`−${writeExact(product)}`, "0", writeExact(product)];
}

function legendRemark({ query, key }) {
  return `products, square-root scale · bars: q to ±${writeExact(query)}, k to ±${writeExact(key)}`;
}
