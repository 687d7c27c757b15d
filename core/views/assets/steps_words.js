// What the steps say: numbers as words, the shown step, and the same for a screen reader.
// Plain functions without import or export: Python puts this text in front of steps.js.

// Two decimals beside a word; a weight too small for them is not called zero.
function shortWeight(weight) {
  if (weight === 0) return "0";
  return weight < 0.005 ? "<0.01" : weight.toFixed(2);
}

// Two digits below 1 %, so that small probabilities can be compared, too.
function percentText(probability) {
  const percent = 100 * probability;
  if (percent > 0 && percent < 0.0001) return "<0.0001 %";
  if (percent < 0.995) return `${Number(percent.toPrecision(2))} %`;
  return `${percent >= 99.95 && percent < 100 ? ">99.9" : percent.toFixed(1)} %`;
}

function stepText(step) {
  return step === null ? "" : step.toLocaleString("en");
}

// "step 3 of 9, chat": what the slider says.
function spokenFrame({ step, steps, header }) {
  const place = step - 1;
  const fixed = header.own.includes(place) ? ", fixed by you" : "";
  return `step ${step} of ${steps.length}, ${header.tokens[place]}${fixed}`;
}

// All that a step shows, for who does not see it: the token, its probability, and where most of the weight lies.
function spokenStep(state) {
  const { header, step } = state;
  const place = step - 1;
  const largest = strongestSource(state, place).map((at) => (
    `${header.source[at]} ${shortWeight(weightOf(state, place, at))}`));
  return [spokenFrame(state), `probability ${percentText(header.probabilities[place])}`,
    largest.length ? `most weight on ${largest.join(", ")}` : ""].filter(Boolean).join(", ");
}

// On one scale at all steps. Along a line most of them would be too short to be seen.
function barShare(probability) {
  return Math.sqrt(clamp(probability, 0, 1));
}

function forcedWords({ forced, own, tokens }) {
  if (!own.length) return "";
  if (own.length === tokens.length) return "fixed by you";
  return own.length === forced ? `the first ${forced} fixed by you` : `${own.length} of the first ${forced} fixed by you`;
}

// The source words with most weight, at most three.
function strongestSource(state, place) {
  if (!state.weights) return [];
  return state.header.source.map((_, at) => at)
    .sort((one, other) => weightOf(state, place, other) - weightOf(state, place, one)).slice(0, 3);
}

function weightOf({ weights, header }, place, at) {
  return weights[place * header.source.length + at];
}

// The colour of a source word at a step.
function fillOf(state, place, at) {
  const { header, theme } = state;
  const share = header.max > 0 ? weightOf(state, place, at) / header.max : 0;
  const level = share > 0 ? clamp(SCALES[header.scale].position(share), 0, 1) : 0;
  return theme.ramp[Math.round(level * TOP_LEVEL)];
}

function stepsLegend(header) {
  const { share, remark } = SCALES[header.scale];
  const words = ["attention weight at this step", remark].filter(Boolean).join(" · ");
  return { ticks: legendTicks(header, share), remark: words, masked: false };
}
