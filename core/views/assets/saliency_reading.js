// What the saliency figure says: the number under the pointer, for the eye and for a screen reader; and its legends.
// Plain functions without import or export: Python puts this text in front of saliency.js.

const MARK_WORDS = {
  signed: "± with a sign: for or against the target",
  class_specific: "c about this target, not about the model in general",
  additive: "Σ adds up to the explained number",
};

function signedNumber(value, signed) {
  if (value === 0) return "0";
  const digits = Math.abs(value) >= 0.001 && Math.abs(value) < 100_000
    ? Math.abs(value).toPrecision(4) : Math.abs(value).toExponential(3);
  return `${value < 0 ? "−" : signed ? "+" : ""}${digits}`;
}

function scoreText(row, group) {
  const error = row.errors ? ` ± ${signedNumber(row.errors[group], false)}` : "";
  return `${signedNumber(row.values[group], row.signed)}${error}`;
}

// "3rd largest of 12": ties share the better place.
function rankText(row, group) {
  const own = Math.abs(row.values[group]);
  let place = 1;
  for (const value of row.values) if (Math.abs(value) > own) place += 1;
  return `${row.signed ? "magnitude" : "score"} number ${place} of ${row.values.length}`;
}

function wordTooltip({ header, labels }, row, group) {
  const note = (text) => ({ className: "tooltip-note", pieces: [{ text }] });
  const notes = [`${header.by} ${group + 1} of ${labels.length}`];
  if (row.state === "pending") notes.unshift("still computed");
  else {
    notes.unshift(rankText(row, group));
    if (row.errors) notes.unshift("± one standard error of the samples");
    if (row.how) notes.push(row.how);
  }
  return [
    { className: "tooltip-title tooltip-tokens", pieces: [{ token: labels[group] }] },
    { className: "tooltip-note", pieces: [{ text: row.title }] },
    ...(row.state === "pending" ? [] : [{ className: "tooltip-value", pieces: [{ text: scoreText(row, group) }] }]),
    ...notes.map(note),
  ];
}

function spokenWord(state, row, group) {
  const number = row.state === "pending" ? "still computed"
    : `${scoreText(row, group)}${row.errors ? " standard error" : ""}, ${rankText(row, group)}`;
  return [`${row.title}, ${labelOf(state, group)}`, number, state.picked === group ? "marked" : ""]
    .filter(Boolean).join(", ");
}

function labelOf({ header, labels }, group) {
  return `${header.by} ${group + 1} ${shorten(labels[group], 40)}`;
}

function figureWords({ header, labels, shown }) {
  return `${shown.length} methods, each a row of ${labels.length} ${header.by}s: read them with the arrow keys, mark a `
    + `${header.by} with Enter`;
}

function wordsLegends({ header, shown, theme, diverging }) {
  const { remark } = SCALES[header.scale];
  const scored = shown.filter(({ state }) => state === "scored");
  const legends = [];
  if (scored.some(({ signed }) => !signed)) {
    legends.push({ ramp: theme.ramp, ticks: ["0", "largest of the row"], remark });
  }
  if (scored.some(({ signed }) => signed)) {
    const ramp = Array.from({ length: TOP_LEVEL + 1 }, (_, level) => diverging[2 * level]);
    legends.push({ ramp, ticks: ["− against", "0", "for +"], remark: legends.length ? "" : remark });
  }
  return legends;
}

function marksRemark({ shown }) {
  return MARKS.filter(([name]) => shown.some((row) => row[name])).map(([name]) => MARK_WORDS[name]).join(" · ");
}
