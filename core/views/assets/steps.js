// A translation as it is written: controls above, the source and the output so far to the left, the next tokens to the
// right. Steps count from 1 here and from 0 in messages to Python.

// Milliseconds that a token is shown while the steps are played.
const TOKEN_TIME = 900;
// Milliseconds after which Python is told of a step: going through them quickly is told once.
const TELL_STEP_AFTER = 500;

export default function (component) {
  const root = component.parentElement.querySelector(".steps");
  const state = stateOf(root, createSteps);
  const { header, arrays } = unpack(component.data);
  const key = JSON.stringify([header.label, header.source, header.opening]);
  const count = header.tokens.length;
  const steps = Array.from({ length: count }, (_, place) => place + 1);
  // A text that was written anew shows the same step of it.
  const kept = clamp(state.key === key ? state.step ?? 1 : header.start + 1, 1, Math.max(1, count));
  Object.assign(state, { component, header, key, steps, weights: arrays.weights?.values ?? null, theme: readTheme(root),
    panels: [{ steps, growing: false }], playing: null });
  root.style.colorScheme = state.theme.dark ? "dark" : "light";
  const content = JSON.stringify(header);
  if (state.content !== content) {
    Object.assign(state, { content, step: count ? kept : null });
    fillSteps(state);
  }
  paintSteps(state);
  repaintOnResize(state, () => paintSteps(state));
  return endOf(state);
}

function createSteps(root) {
  root.classList.add("film");
  const state = { root, panels: [], steps: [], step: null, follows: false, playing: null };
  state.controls = createControls(state, root);
  state.latest.remove();
  for (const [name, words] of [["previous", "Previous token"], ["next", "Next token"]]) {
    state[name].setAttribute("aria-label", words);
    state[name].title = words;
  }
  state.strip.hidden = true;
  playSlowly(state);
  state.slider.setAttribute("aria-label", "Step");
  const columns = addElement(root, "div", "columns");
  const texts = addElement(columns, "div", "texts");
  const source = createBlock(texts, "source", "Source");
  state.sourceRemark = source.remark;
  state.sourceList = addElement(source.block, "ul", "chips");
  state.legend = addElement(source.block, "div", "legend", { "aria-hidden": "true" });
  const output = createBlock(texts, "output", "Output so far");
  state.outputRemark = output.remark;
  state.outputList = addElement(output.block, "div", "tokens", { role: "group", "aria-label": "Tokens of the output" });
  const next = createBlock(columns, "next-tokens", "Likeliest next tokens");
  next.remark.textContent = [standsAlone() ? "" : "click another one to write on with it", "bars by square root"]
    .filter(Boolean).join(" · ");
  state.nextList = addElement(next.block, "div", "next-list", { role: "group", "aria-label": "Next tokens" });
  state.status = addElement(next.block, "div", "status", { role: "status", "aria-live": "polite" });
  state.tooltip = addElement(root, "div", "tooltip", { "aria-hidden": "true" });
  state.live = addElement(root, "div", "visually-hidden live", { "aria-live": "polite" });
  return state;
}

// A film takes the same time however many frames it has; here each token has time to be read, and none is left out.
function playSlowly(state) {
  const { onclick } = state.play;
  state.play.onclick = () => {
    onclick();
    if (state.playing) Object.assign(state.playing, { pace: TOKEN_TIME, beat: TOKEN_TIME });
  };
}

function fillSteps(state) {
  const { header, weights } = state;
  state.status.textContent = "";
  fillSource(state);
  fillOutput(state);
  state.sourceRemark.textContent = weights ? header.remark : "no attention: the model reads it into one vector";
  state.outputRemark.textContent = forcedWords(header);
}

function paintSteps(state) {
  const { header, legend, weights, root } = state;
  legend.hidden = !weights;
  renderLegend(legend, stepsLegend(header));
  drawFilm(state);
  publishFigure(header.figure, () => stepsSnapshot(state));
  markDrawn(root);
}

// What film_playing.js calls when another step is shown.
function drawFilm(state) {
  const { root, step, steps, stepWords, header } = state;
  updateControls(state);
  state.play.title = state.playing ? "Pause" : "Play step by step";
  Object.assign(root.dataset, { step: step ?? "", steps: steps.length });
  if (step === null) return;
  addElement(stepWords, "span", "step-name").textContent = `of ${steps.length}`;
  showSource(state);
  showOutput(state);
  showNext(state);
  hideTooltip(state.tooltip);
  if (state.told === undefined) state.told = step;
  if (state.told === step) return;
  state.told = step;
  state.status.textContent = "";
  if (!state.playing) state.live.textContent = spokenStep(state);
  changeSelection(state, { step: step - 1, stepOf: header.label });
  tellStep(state);
}

function tellStep(state) {
  after(state, "telling", TELL_STEP_AFTER, () => {
    // Each message runs the page again, which would make the playing halt.
    if (state.playing) tellStep(state);
    else state.component.setTriggerValue("step", { step: state.step - 1 });
  });
}

function goTo(state, step) {
  stopPlaying(state);
  showIndex(state, step - 1);
}
