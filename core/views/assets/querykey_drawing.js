// The query-key view's picture: the columns, the two vectors above, and a row a key with its strip of products.
// Plain functions without import or export: Python puts this text in front of querykey.js.

// Orange for negative, blue for positive: told apart with every kind of colour vision. Zero is the background.
const DIVERGING = { steps: 128, orange: 52, blue: 256 };

function divergingColours(theme) {
  const from = theme.dark ? rgbToOklch(theme.background)[0] : 0.985;
  const [to, chroma] = theme.dark ? [0.8, 0.15] : [0.52, 0.17];
  return Array.from({ length: 2 * DIVERGING.steps + 1 }, (_, at) => {
    const share = Math.abs(at - DIVERGING.steps) / DIVERGING.steps;
    const hue = at < DIVERGING.steps ? DIVERGING.orange : DIVERGING.blue;
    return share === 0 ? theme.background : oklchToRgb(from + (to - from) * share, chroma * share, hue);
  });
}

// Square-root scale, as a few dimensions are often much larger than the rest.
function divergingLevel(value, largest) {
  const share = Math.sqrt(Math.min(1, Math.abs(value) / largest));
  return DIVERGING.steps + Math.round(Math.sign(value) * share * DIVERGING.steps);
}

// Columns from left to right; a narrow card leaves out those whose numbers stand in the line above the sheet.
function layoutDetail(state, width) {
  const { header, dims, theme, scratch, added } = state;
  const rem = remPixels();
  const room = width / rem;
  const [font, small] = [Math.round(0.8 * rem), Math.round(0.75 * rem)];
  scratch.font = `${font}px ${theme.codeFont}`;
  const names = state.hasSink ? [...header.col_labels, header.steps.sink_name] : header.col_labels;
  const longest = names.reduce((most, name) => Math.max(most, scratch.measureText(name.slice(0, 80)).width), 0);
  const label = Math.ceil(clamp(longest + 0.9 * rem, 4.2 * rem, Math.min(11 * rem, width * 0.27)));
  const titles = [
    dims > 0 && room >= 44 && ["dots", "q·k"],
    dims > 0 && added && room >= 44 && ["scaled", `× ${Number(header.steps.scale.toPrecision(4))}`],
    dims > 0 && added && room >= 44 && ["added", `+ ${additions(header.steps).join(", ") || "added"}`],
    state.logits && room >= 26 && ["logits", "score"],
  ].filter(Boolean);
  const number = 4 * rem;
  const weight = 3.9 * rem;
  const rest = width - label - titles.length * number - weight - 0.4 * rem;
  const bar = dims > 0 ? clamp(rest * 0.22, 2 * rem, 12 * rem) : Math.min(rest - 0.5 * rem, 30 * rem);
  const strip = dims > 0 ? Math.min(rest - bar - rem, dims * 1.1 * rem) : 0;
  let x = label + (strip > 0 ? strip + 0.4 * rem : 0);
  const columns = titles.map(([name, title]) => ({ name, title, right: (x += number) }));
  return { rem, font, small, width, label, strip, columns, bar: { left: x + 0.8 * rem, width: bar - 0.8 * rem },
    weight: x + bar + weight, row: Math.round(1.5 * rem), vector: dims > 0 ? 2.2 * rem : 0 };
}

function headHeight({ rem, vector }) {
  return 2 * (vector + (vector > 0 ? 0.35 * rem : 0)) + 1.5 * rem;
}

function setFont(context, size, family, weight = "") {
  context.font = `${weight}${size}px ${family}`;
  context.textBaseline = "middle";
  context.direction = "ltr";
}

// The query's vector, the vector of the key looked at, and the titles of the columns.
function drawDetailHead(context, state, layout, look) {
  const { header, theme, dims, key, query, keys, largest } = state;
  const { rem, vector, label, strip } = layout;
  if (dims > 0) {
    const own = look.key < keys ? key.subarray(look.key * dims, (look.key + 1) * dims) : null;
    const rows = [["query", header.query_label, header.query_kind, query, largest.query],
      ["key", look.key < keys ? header.col_labels[look.key] : "", header.col_kinds[look.key] ?? "", own, largest.key]];
    rows.forEach(([title, name, kind, values, most], index) => {
      const top = index * (vector + 0.35 * rem);
      setFont(context, layout.small * 0.9, theme.font);
      context.fillStyle = cssColour(theme.muted);
      context.textAlign = "left";
      context.fillText(title, 0, top + vector * 0.2);
      context.save();
      setFont(context, layout.font, theme.codeFont, "bold ");
      context.fillStyle = labelInk(theme, kind, true);
      context.translate(0, top + vector * 0.7);
      drawLabel(context, name, "", "left", label - 0.5 * rem);
      context.restore();
      if (values) drawVector(context, state, values, most, label, top, strip, vector);
    });
  }
  drawColumnTitles(context, state, layout, headHeight(layout) - 0.6 * rem);
}

// Bars up for positive and down for negative numbers.
function drawVector(context, { theme, diverging }, values, most, left, top, width, height) {
  const [middle, step] = [top + height / 2, width / values.length];
  context.fillStyle = cssColour(theme.border);
  context.fillRect(left, middle - 0.5, width, 1);
  values.forEach((value, dim) => {
    const length = (Math.abs(value) / most) * (height / 2);
    context.fillStyle = cssColour(diverging[value < 0 ? 0 : diverging.length - 1]);
    context.fillRect(left + dim * step, value < 0 ? middle : middle - length, Math.max(0.5, step * 0.82), length);
  });
}

function drawColumnTitles(context, { theme, header, dims }, layout, y) {
  const { label, strip, columns, weight, small, rem } = layout;
  setFont(context, small, theme.font);
  context.fillStyle = cssColour(theme.muted);
  context.textAlign = "left";
  context.fillText(header.col_title ?? "key", 0, y);
  const products = strip > 13 * rem ? `products of the ${dims} dimensions` : "products";
  if (dims > 0) context.fillText(clipText(context, products, strip), label, y);
  context.textAlign = "right";
  for (const column of columns) context.fillText(clipText(context, column.title, 3.9 * rem), column.right, y);
  context.fillText("weight", weight, y);
}

// Rows `first` to `last` of the order, row 0 at the top of the context.
function drawKeyRows(context, state, layout, [first, last], look) {
  const { rows, theme, dims } = state;
  const { row: height, width, label, strip } = layout;
  for (let at = first; at <= last; at += 1) {
    if (rows[at] === look.key && look.active) {
      context.fillStyle = cssColour(mixColours(theme.background, theme.primary, theme.dark ? 0.2 : 0.09));
      context.fillRect(0, at * height, width, height);
    }
  }
  if (dims > 0) {
    const image = stripImage(state, rows.slice(first, last + 1), Math.round(strip * (devicePixelRatio || 1)));
    context.imageSmoothingEnabled = false;
    context.drawImage(image, label, first * height, strip, (last - first + 1) * height);
    context.imageSmoothingEnabled = true;
    context.fillStyle = cssColour(theme.background);
    for (let at = first; at <= last + 1; at += 1) context.fillRect(label, at * height - 1, strip, 2);
  }
  for (let at = first; at <= last; at += 1) drawKeyRow(context, state, layout, rows[at], at * height, look);
}

// One pixel a product and a row a key. Where there are more dimensions than pixels, the strongest shows.
function stripImage(state, indices, pixels) {
  const { query, key, dims, keys, largest, diverging, theme } = state;
  const width = Math.max(1, Math.min(dims, pixels));
  const canvas = Object.assign(document.createElement("canvas"), { width, height: indices.length });
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, indices.length);
  indices.forEach((index, row) => {
    if (index === keys) return;
    const faded = isMasked(state, index);
    const strongest = new Float32Array(width);
    for (let dim = 0; dim < dims; dim += 1) {
      const product = query[dim] * key[index * dims + dim];
      const pixel = Math.floor((dim * width) / dims);
      if (Math.abs(product) > Math.abs(strongest[pixel])) strongest[pixel] = product;
    }
    strongest.forEach((product, pixel) => {
      const colour = diverging[divergingLevel(product, largest.product)];
      image.data.set([...(faded ? mixColours(theme.background, colour, 0.3) : colour), 255], 4 * (row * width + pixel));
    });
  });
  context.putImageData(image, 0, 0);
  return canvas;
}

function drawKeyRow(context, state, layout, index, top, look) {
  const { header, theme, keys, topWeight, write } = state;
  const { rem, font, small, label, columns, bar, weight, row: height } = layout;
  const [middle, masked, isPicked] = [top + height / 2, isMasked(state, index), index === look.picked];
  const kind = index === keys ? "special" : header.col_kinds[index];
  if (isPicked) {
    context.fillStyle = cssColour(theme.accent);
    context.fillRect(0, top + 1, 3, height - 2);
  }
  if (height < 8) return;
  context.save();
  setFont(context, Math.min(font, height * 0.8), theme.codeFont, isPicked ? "bold " : "");
  context.fillStyle = masked ? cssColour(theme.muted) : labelInk(theme, kind, isPicked);
  context.translate(0.5 * rem, middle);
  drawLabel(context, keyName(state, index), masked ? "" : kind, "left", label - 0.7 * rem);
  context.restore();
  setFont(context, Math.min(small, height * 0.8), theme.codeFont);
  context.textAlign = "right";
  context.fillStyle = cssColour(masked ? theme.muted : theme.text);
  for (const { name, right } of columns) {
    const value = index === keys ? (name === "logits" ? header.steps.sink : NaN) : state[name][index];
    const text = masked && name === "logits" ? "masked" : Number.isNaN(value) ? "" : write[name](value);
    context.fillText(text, right, middle);
  }
  const own = weightOf(state, index);
  const hidden = masked && !columns.some(({ name }) => name === "logits") ? "masked" : "–";
  context.fillText(masked ? hidden : writeWeight(own), weight, middle);
  context.fillStyle = cssColour(index === keys ? theme.muted : theme.primary);
  context.fillRect(bar.left, middle - height * 0.25, (own / topWeight) * bar.width, height * 0.5);
}

// Outlines one dimension, over a line of background colour that keeps it visible on every colour.
function markDimension(context, { theme, dims }, { label, strip }, dim, top, height) {
  const step = strip / dims;
  for (const [colour, wide] of [[theme.background, 3.5], [theme.accent, 1.5]]) {
    context.strokeStyle = cssColour(colour);
    context.lineWidth = wide;
    context.strokeRect(label + dim * step - 0.5, top, step + 0.5, height);
  }
}
