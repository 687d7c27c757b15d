// From weights to places on the ramp, and the words that say what a colour and a number mean.
// Plain functions without import or export: Python puts this text in front of heatmap.js.

// position: share of the maximum -> place on the ramp; share: the way back, for the legend.
const SCALES = {
  linear: { position: (share) => share, share: (position) => position, remark: "" },
  sqrt: { position: Math.sqrt, share: (position) => position ** 2, remark: "square-root scale" },
  log: {
    position: (share) => 1 + Math.log10(share) / 4,
    share: (position) => 10 ** (4 * position - 4),
    remark: "log scale, 4 decades",
  },
};

// A million cells: plain loops, no function for each.
function weightLevels(weights, rows, cols, { scale, span, max }) {
  const { position } = SCALES[scale];
  const levels = new Uint8Array(rows * cols);
  for (let row = 0; row < rows; row += 1) {
    const [start, end] = [row * cols, (row + 1) * cols];
    const top = span === "row" ? largestOf(weights, start, end) : max;
    for (let at = start; at < end; at += 1) {
      const weight = weights[at];
      if (weight !== weight) levels[at] = MASKED;
      else if (weight > 0 && top > 0) levels[at] = Math.round(TOP_LEVEL * clamp(position(weight / top), 0, 1));
    }
  }
  return levels;
}

function largestOf(weights, start, end) {
  let largest = 0;
  for (let at = start; at < end; at += 1) if (weights[at] > largest) largest = weights[at];
  return largest;
}

function legendOf(state, step) {
  const { header, anyMasked } = state;
  const { share, remark } = SCALES[header.scale];
  const whose = header.span === "row" ? "of the row maximum" : "";
  const remarks = [whose, remark, hiddenRemark(header), step > 1 ? `1 label in ${step}` : ""].filter(Boolean);
  return { ticks: legendTicks(header, share), remark: remarks.join(" · "), masked: anyMasked };
}

function legendTicks(header, share) {
  const isLog = header.scale === "log";
  if (header.span === "row") {
    const percent = (part) => `${shortNumber(100 * part)} %`;
    return [isLog ? `≤ ${percent(share(0))}` : "0", percent(share(0.5)), "100 %"];
  }
  const ticks = [0, 0.5, 1].map((position) => shortNumber(header.max * share(position)));
  return isLog ? [`≤ ${ticks[0]}`, ticks[1], ticks[2]] : ["0", ticks[1], ticks[2]];
}

function hiddenRemark({ hidden }) {
  if (typeof hidden === "string") return hidden;
  return hidden ? "special tokens left out" : "";
}

function shortNumber(value) {
  const isTiny = value > 0 && value < 0.001;
  return isTiny ? value.toExponential(1) : String(Number(value.toPrecision(2)));
}

function formatWeight(weight) {
  if (Number.isNaN(weight)) return "masked: the model could not attend here";
  return weight === 0 ? "0" : weight.toPrecision(4);
}
