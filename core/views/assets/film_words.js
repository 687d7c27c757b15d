// What the film says: step and error rate, the pointed cell, and the same for a screen reader.
// Plain functions without import or export: Python puts this text in front of film.js.

const GOLD_WORDS = { sure: "gold link", possible: "possible gold link" };
const ERROR_RATE = "Alignment error rate (AER): 0 where the largest weight of every row lies on a gold link";

function errorWords(panel, frame) {
  const error = panel.errors[frame] ?? null;
  return error === null ? "" : error.toFixed(2);
}

function stepText(step) {
  return step === null ? "" : step.toLocaleString("en");
}

function spokenFrame({ panels, step }) {
  const errors = panels.map((panel) => {
    const error = errorWords(panel, frameAt(panel, step));
    return error && `${panels.length > 1 ? `${panel.label} ` : ""}error rate ${error}`;
  });
  return [`step ${stepText(step)}`, ...errors.filter(Boolean)].join(", ");
}

function panelStep(panel, frame) {
  return frame < 0 ? "no frame yet" : `step ${stepText(panel.steps[frame])}`;
}

function panelWords(panel, frame) {
  const [error, { rows, cols }] = [errorWords(panel, frame), panel];
  return [`Attention weights of ${panel.label}`, panelStep(panel, frame), error && `error rate ${error}`,
    `${rows.length} rows of the output, ${cols.length} columns of the source`].filter(Boolean).join(", ");
}

// Three decimals; a weight too small for them is not called zero.
function shareText(weight) {
  return weight < 0.0005 ? "below 0.001" : weight.toFixed(3);
}

function cellText(panel, frame, row, col) {
  return frame < 0 ? "no frame yet" : `weight ${shareText(weightAt(panel, frame, row, col))}`;
}

function cellRemark(panel, frame, row, col) {
  const gold = panel.goldOf.size === 0 ? "" : GOLD_WORDS[panel.goldOf.get(`${row},${col}`)] ?? "no gold link";
  const isLargest = frame >= 0 && largestCol(panel, frame, row) === col;
  return [gold, isLargest ? "largest weight of its row" : ""].filter(Boolean).join(" · ");
}

function filmTooltip(panel, frame, row, col) {
  const note = (text) => ({ className: "tooltip-note", pieces: [{ text }] });
  return [
    { className: "tooltip-title tooltip-tokens",
      pieces: [{ token: panel.rows[row] }, { text: " → " }, { token: panel.cols[col] }] },
    { className: "tooltip-value", pieces: [{ text: cellText(panel, frame, row, col) }] },
    note(`output ${row + 1} of ${panel.rows.length}, source ${col + 1} of ${panel.cols.length}`),
    ...[cellRemark(panel, frame, row, col)].filter(Boolean).map(note),
  ];
}

function spokenCell(panel, frame, row, col) {
  return [`output ${panel.rows[row]}, source ${panel.cols[col]}`, cellText(panel, frame, row, col),
    cellRemark(panel, frame, row, col)].filter(Boolean).join(", ");
}

function kindsOfGold(panels) {
  return new Set(panels.flatMap(({ goldOf }) => [...goldOf.values()]));
}

// What an exported picture adds to its caption, which is as long as it has to be.
function pictureWords({ panels, step }) {
  const kinds = kindsOfGold(panels);
  return [step === null ? "" : `shown: step ${stepText(step)}`, kinds.has("sure") ? "outlined: gold link" : "",
    kinds.has("possible") ? "dashed: possible gold link" : "",
    kinds.size ? "dot: largest weight of its row" : ""].filter(Boolean).join(" · ");
}
