// What the alignment figure says: the pointed cell and its gold link, for the eye and for a screen reader.
// Plain functions without import or export: Python puts this text in front of alignment.js.

const LINK_WORDS = { sure: "sure gold link", possible: "possible gold link" };

function cellRemarks(panel, row, col) {
  const gold = panel.goldOf.size === 0 ? "" : LINK_WORDS[panel.goldOf.get(`${row},${col}`)] ?? "no gold link";
  return [gold, largestCol(panel, 0, row) === col ? "largest weight of its row" : ""].filter(Boolean).join(" · ");
}

function filmTooltip(panel, _frame, row, col) {
  const note = (text) => ({ className: "tooltip-note", pieces: [{ text }] });
  return [
    { className: "tooltip-title tooltip-tokens",
      pieces: [{ token: panel.rows[row] }, { text: " → " }, { token: panel.cols[col] }] },
    { className: "tooltip-value", pieces: [{ text: `weight ${formatWeight(exactWeight(panel, row, col))}` }] },
    note(`output word ${row + 1} of ${panel.rows.length}, source word ${col + 1} of ${panel.cols.length}`),
    ...[cellRemarks(panel, row, col)].filter(Boolean).map(note),
  ];
}

function spokenCell(panel, _frame, row, col) {
  return [`output ${panel.rows[row]}, source ${panel.cols[col]}`,
    `weight ${formatWeight(exactWeight(panel, row, col))}`, cellRemarks(panel, row, col)].filter(Boolean).join(", ");
}

function mapWords({ label, about, rows, cols }) {
  return [`Attention weights of ${label}`, about,
    `${rows.length} rows of the output, ${cols.length} columns of the source`].filter(Boolean).join(", ");
}

function scoreWords({ scores, verdict }) {
  return [scores.map(([name, value]) => `${name} ${value}`).join(" · "), verdict].filter(Boolean).join(" · ");
}

function linkKinds(panels) {
  return new Set(panels.flatMap(({ goldOf }) => [...goldOf.values()]));
}

function alignmentLegend(header) {
  const { share, remark } = SCALES[header.scale];
  return { ticks: legendTicks(header, share), remark: ["attention weight", remark].filter(Boolean).join(" · "),
    masked: false };
}
