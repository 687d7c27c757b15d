// The query-key view's numbers: the order of the keys, how numbers are written, and the steps in words.
// Plain functions without import or export: Python puts this text in front of querykey.js.

const LOWEST_SHOWN = 0.00005;

function readDetail(state, header, arrays) {
  const values = (name) => arrays[name]?.values ?? null;
  state.dims = header.dims;
  state.keys = header.col_labels.length;
  for (const name of ["query", "key", "dots", "scaled", "added", "logits", "weights"]) state[name] = values(name);
  state.hasSink = header.steps.sink !== null && header.steps.sink !== undefined;
  const largest = (numbers) => (numbers ?? []).reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0) || 1;
  state.largest = { query: largest(state.query), key: largest(state.key), product: largestProduct(state) };
  const scores = state.hasSink ? [...(state.logits ?? []), header.steps.sink] : state.logits;
  state.write = {
    dots: numberWriter(state.dots ?? []), scaled: numberWriter(state.scaled ?? []),
    added: numberWriter(state.added ?? []), logits: numberWriter(scores ?? []), weights: writeWeight,
  };
  state.topWeight = Math.max(state.weights.reduce((a, b) => Math.max(a, b), 0), header.steps.sink_weight ?? 0, 1e-9);
}

function largestProduct({ query, key, dims, keys }) {
  let most = 0;
  for (let index = 0; index < keys; index += 1) {
    for (let dim = 0; dim < dims; dim += 1) most = Math.max(most, Math.abs(query[dim] * key[index * dims + dim]));
  }
  return most || 1;
}

// The same number of decimals for a whole column: four digits of the largest, so that the eye can compare.
function numberWriter(numbers) {
  const largest = numbers.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
  const decimals = largest > 0 ? clamp(3 - Math.floor(Math.log10(largest)), 0, 4) : 1;
  if (largest >= 1e6) return (value) => value.toExponential(2).replace("-", "−");
  return (value) => {
    const text = value.toFixed(decimals);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  };
}

function writeWeight(weight) {
  if (weight === 0) return "0";
  return weight < LOWEST_SHOWN ? weight.toExponential(0).replace("-", "−") : weight.toFixed(4);
}

function writeExact(value) {
  if (value === 0) return "0";
  const text = Math.abs(value) < 0.001 || Math.abs(value) >= 1e5 ? value.toExponential(2) : value.toPrecision(3);
  return text.replaceAll("-", "−");
}

// Rows of the sheet: key indices, and the number of keys for the sink. Masked keys come last by weight.
function orderKeys({ keys, hasSink, weights, logits, order, header }) {
  const rows = Array.from({ length: keys + (hasSink ? 1 : 0) }, (_, index) => index);
  if (order !== "weight") return rows;
  const rank = (index) => {
    if (index === keys) return header.steps.sink_weight;
    return logits && Number.isNaN(logits[index]) ? -1 : weights[index];
  };
  return rows.sort((a, b) => rank(b) - rank(a) || a - b);
}

function isMasked({ logits }, index) {
  return Boolean(logits) && Number.isNaN(logits[index]);
}

function keyName({ header, keys }, index) {
  return index === keys ? header.steps.sink_name : header.col_labels[index];
}

function weightOf({ header, keys, weights }, index) {
  return index === keys ? header.steps.sink_weight : weights[index];
}

function strongestKey({ weights }) {
  let best = 0;
  weights.forEach((weight, index) => { if (weight > weights[best]) best = index; });
  return best;
}

function additions({ bias, mask }) {
  return [bias && "bias", mask && "mask"].filter(Boolean);
}

// The steps of this model, such as: weight = softmax( q·k × 0.125 + bias ).
function formulaText({ header, dims, hasSink, write }) {
  const { steps } = header;
  const beside = steps.sink_adds ? "the rest" : "sink";
  if (!dims) return `weight = softmax( ${["score", hasSink && beside].filter(Boolean).join(", ")} )`;
  const scaled = `q·k × ${Number(steps.scale.toPrecision(4))}`;
  const capped = steps.softcap ? `${steps.softcap} · tanh( ${scaled} / ${steps.softcap} )` : scaled;
  const score = [capped, ...additions(steps)].join(" + ");
  return `weight = softmax( ${score}${hasSink ? `, ${beside} ${write.logits(steps.sink)}` : ""} )`;
}

// The same steps with the numbers of one key.
function workedText(state, index) {
  const { header, dims, dots, added, logits, write, keys } = state;
  const { steps } = header;
  const weight = `weight ${writeWeight(weightOf(state, index))}`;
  const adds = steps.sink_adds ? "all of these together" : "it has no value, so it adds nothing";
  if (index === keys) return `score ${write.logits(steps.sink)}, ${weight}: ${adds}`;
  if (isMasked(state, index)) return "masked: the model could not attend here";
  if (!dims) return logits ? `score ${write.logits(logits[index])} → ${weight}` : weight;
  let text = `${write.dots(dots[index])} × ${Number(steps.scale.toPrecision(4))}`;
  if (steps.softcap) text = `${steps.softcap} · tanh( ${text} / ${steps.softcap} )`;
  if (added) text += ` + ${additions(steps).join(" and ") || "added"} ${write.added(added[index])}`;
  return `${text} = ${write.logits(logits[index])} → ${weight}`;
}

function spokenKey(state, index) {
  const { header, keys, dots, logits, write, dims } = state;
  const weight = `weight ${writeWeight(weightOf(state, index))}`;
  if (index === keys) return `${header.steps.sink_name}, ${weight}`;
  const name = spokenToken("Key", header.col_places[index], header.col_labels[index], header.col_kinds[index]);
  if (isMasked(state, index)) return `${name}, masked`;
  const product = dims > 0 && `q k ${write.dots(dots[index])}`;
  const score = logits && `score ${write.logits(logits[index])}`;
  return [name, product, score, weight].filter(Boolean).join(", ");
}
