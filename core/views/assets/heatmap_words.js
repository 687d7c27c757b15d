// What the heatmap says in its tooltip and to a screen reader.
// Plain functions without import or export: Python puts this text in front of heatmap.js.

const STRONGEST_LISTED = 5;

function tooltipLines(state, [row, col]) {
  if (row === null || col === null) return focusLines(state, row === null ? "col" : "row", row ?? col);
  const { header, weights, cols } = state;
  const weight = weights[row * cols + col];
  const className = Number.isNaN(weight) ? "tooltip-note" : "tooltip-value";
  return [
    titleLine([tokenPiece(header, "row", row), { text: " → " }, tokenPiece(header, "col", col)]),
    { className, pieces: [{ text: weightWords(state, weight) }] },
    noteLine([{ text: placeWords(header, row, col) }]),
    ...predictionLines(header, row),
    ...leftOutLines(state, row),
    ...kindLines(header, "row", row),
    ...kindLines(header, "col", col),
  ];
}

// A whole row or column: where most of its weight lies.
function focusLines(state, side, index) {
  const { header } = state;
  const other = side === "row" ? "col" : "row";
  const strongest = strongestOf(state, side, index).map(({ at, weight }) => ({
    className: "tooltip-note",
    pieces: [{ text: `${formatWeight(weight)} ` }, tokenPiece(header, other, at),
      { text: ` (${entryWords(header, other, at)})` }],
  }));
  const heading = side === "row" ? "attends most to" : "gets most from";
  return [
    titleLine([tokenPiece(header, side, index)]),
    noteLine([{ text: `${entryWords(header, side, index)}${strongest.length ? ` ${heading}` : ""}` }]),
    ...strongest,
    ...(side === "row" ? predictionLines(header, index) : []),
    ...(side === "row" ? leftOutLines(state, index) : []),
    ...kindLines(header, side, index),
  ];
}

function titleLine(pieces) {
  return { className: "tooltip-title tooltip-tokens", pieces };
}

function noteLine(pieces) {
  return { className: "tooltip-note", pieces };
}

function tokenPiece(header, side, index) {
  return { token: header[`${side}_labels`][index], kind: header[`${side}_kinds`][index] };
}

function predictionLines(header, row) {
  const predicted = header.row_predictions?.[row];
  return typeof predicted !== "string"
    ? [] : [noteLine([{ text: `${header.row_title} predicts ` }, { token: predicted }])];
}

function leftOutLines({ leftOut }, row) {
  const share = leftOut?.[row] ?? 0;
  return share > 0 ? [noteLine([{ text: `${shortNumber(share)} of this row lies on tokens left out` }])] : [];
}

function kindLines(header, side, index) {
  const remark = kindRemark(header[`${side}_kinds`][index]);
  return remark ? [noteLine([{ text: `${header[`${side}_title`]}: ${remark}` }])] : [];
}

function weightWords({ header }, weight) {
  return header.factor > 1 && !Number.isNaN(weight) ? `largest weight ${formatWeight(weight)}` : formatWeight(weight);
}

// "query 10, key 4"; a block of a long map names its first and last entries: "queries 512–543 → keys 0–31".
function placeWords(header, row, col) {
  const [query, key] = [entryWords(header, "row", row), entryWords(header, "col", col)];
  return header.factor > 1 ? `${query} → ${key}` : `${query}, ${key}`;
}

function entryWords(header, side, index) {
  const [title, first] = [header[`${side}_title`], header[`${side}_places`][index]];
  const last = header[`${side}_last`]?.[index] ?? first;
  return last === first ? `${title} ${first}` : `${manyWord(title)} ${first}–${last}`;
}

function manyWord(title) {
  return { query: "queries", key: "keys" }[title] ?? title;
}

// The entries with most weight in a row or column, strongest first; none that are masked or zero.
function strongestOf({ weights, rows, cols }, side, index) {
  const [count, start, step] = side === "row" ? [cols, index * cols, 1] : [rows, index, cols];
  const best = [];
  for (let at = 0; at < count; at += 1) {
    const weight = weights[start + at * step];
    const full = best.length === STRONGEST_LISTED;
    if (!(weight > 0) || (full && weight <= best[best.length - 1].weight)) continue;
    if (full) best.pop();
    best.push({ at, weight });
    best.sort((one, other) => other.weight - one.weight);
  }
  return best;
}

function speakCell(state, [row, col]) {
  const { header, weights, cols } = state;
  const spoken = (side, index) => [
    `${entryWords(header, side, index)} ${header[`${side}_labels`][index]}`,
    kindRemark(header[`${side}_kinds`][index]),
  ].filter(Boolean).join(", ");
  state.live.textContent = [
    spoken("row", row), spoken("col", col), weightWords(state, weights[row * cols + col]),
    ...leftOutLines(state, row).map(({ pieces }) => pieces[0].text),
  ].join(", ");
}

function speakView({ header, view, live }) {
  const range = (side, first, count) => {
    const [start, end] = rangePlaces(header, side, first, count);
    return `${manyWord(header[`${side}_title`])} ${start} to ${end}`;
  };
  live.textContent = `Shown: ${range("row", view.row, view.rows)}, ${range("col", view.col, view.cols)}`;
}

// The token positions with which a range of entries begins and ends.
function rangePlaces(header, side, first, count) {
  const last = first + count - 1;
  return [header[`${side}_places`][first], (header[`${side}_last`] ?? header[`${side}_places`])[last]];
}
