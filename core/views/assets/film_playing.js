// The controls of the film: a slider over all frames, buttons, and playing it in six seconds.
// Plain functions without import or export: Python puts this text in front of film.js.

const WHOLE_FILM = 6000;
// Where less motion is asked for, a still picture stands so long, in milliseconds.
const STILL = 1000;

function createControls(state, parent) {
  const bar = addElement(parent, "div", "controls");
  state.stepWords = addElement(bar, "div", "step");
  const group = addElement(bar, "div", "buttons", { role: "group", "aria-label": "Film" });
  const commands = [
    ["previous", "Previous frame", () => showIndex(state, shownIndex(state) - 1)],
    ["play", "Play", () => (state.playing ? stopPlaying(state) : startPlaying(state))],
    ["next", "Next frame", () => showIndex(state, shownIndex(state) + 1)],
  ];
  const buttons = commands.map(([name, label, run], index) => {
    const button = addElement(group, "button", name, { type: "button", "aria-label": label, title: label });
    addElement(button, "span", "sign", { "aria-hidden": "true" });
    button.onclick = () => {
      if (button.getAttribute("aria-disabled") === "true") return;
      if (name !== "play") stopPlaying(state);
      run();
    };
    button.onfocus = () => moveTabStop(buttons, button);
    button.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      buttons[clamp(index + step, 0, buttons.length - 1)].focus();
    };
    return button;
  });
  [state.previous, state.play, state.next] = buttons;
  moveTabStop(buttons, state.play);
  state.playWord = addElement(state.play, "span", "word");
  state.latest = addElement(bar, "button", "latest", { type: "button" });
  state.latest.textContent = "Latest";
  state.latest.onclick = () => {
    stopPlaying(state);
    followNewest(state);
    // The button goes: the keyboard stays among the controls.
    state.slider.focus();
  };
  const track = addElement(bar, "div", "track");
  state.strip = addElement(track, "canvas", "strip", { "aria-hidden": "true" });
  state.slider = addElement(track, "input", "slider", { type: "range", min: "0", step: "1", "aria-label": "Frame" });
  state.slider.oninput = () => {
    stopPlaying(state);
    showIndex(state, Number(state.slider.value));
  };
  return bar;
}

function shownIndex({ steps, step }) {
  return Math.max(0, steps.indexOf(step));
}

// Shows the frame of that number. Whoever is at the newest one follows it.
function showIndex(state, index) {
  const { steps, panels } = state;
  if (!steps.length) return;
  state.step = steps[clamp(index, 0, steps.length - 1)];
  state.follows = state.step === newestStep(panels);
  drawFilm(state);
}

function followNewest(state) {
  state.follows = true;
  state.step = newestStep(state.panels);
  drawFilm(state);
}

// What is shown when other frames have arrived: a frame that a person looks at stays.
function keepStep(state) {
  const { panels, steps } = state;
  if (state.follows || state.step === null) {
    state.follows = true;
    state.step = newestStep(panels);
  } else if (!steps.includes(state.step)) {
    state.step = steps.findLast((step) => step <= state.step) ?? steps[0] ?? null;
  }
}

function startPlaying(state) {
  const { steps } = state;
  if (steps.length < 2) return;
  const from = shownIndex(state) === steps.length - 1 ? 0 : shownIndex(state);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const pace = WHOLE_FILM / (steps.length - 1);
  const last = steps[steps.length - 1];
  state.playing = { from, last, start: performance.now(), pace, beat: still ? Math.max(pace, STILL) : pace };
  showIndex(state, from);
  onNextFrame(state, "playing", () => playOn(state));
}

// Up to the frame that was the last one when it began; then the newest is followed again.
function playOn(state) {
  const { playing, steps } = state;
  if (!playing) return;
  const { from, last, start, pace, beat } = playing;
  const end = Math.max(0, steps.indexOf(last));
  const elapsed = Math.floor((performance.now() - start) / beat) * beat;
  const index = Math.min(end, from + Math.floor(elapsed / pace + 1e-6));
  if (index !== shownIndex(state)) showIndex(state, index);
  if (index < end) {
    onNextFrame(state, "playing", () => playOn(state));
    return;
  }
  stopPlaying(state);
  if (state.panels.some((panel) => panel.growing)) followNewest(state);
}

function stopPlaying(state) {
  if (!state.playing) return;
  state.playing = null;
  updateControls(state);
}

function updateControls(state) {
  const { steps, step, slider, playing } = state;
  const index = shownIndex(state);
  slider.max = String(Math.max(0, steps.length - 1));
  slider.value = String(index);
  slider.disabled = steps.length < 2;
  slider.style.setProperty("--shown", `${(100 * index) / Math.max(1, steps.length - 1)}%`);
  slider.setAttribute("aria-valuetext", steps.length ? spokenFrame(state) : "no frame yet");
  state.stepWords.replaceChildren();
  addElement(state.stepWords, "span", "step-name").textContent = steps.length ? "step" : "starting";
  addElement(state.stepWords, "span", "step-number").textContent = stepText(step);
  state.play.classList.toggle("playing", playing !== null);
  state.playWord.textContent = playing ? "Pause" : "Play";
  state.play.setAttribute("aria-label", playing ? "Pause" : "Play");
  state.play.title = playing ? "Pause" : "Play the film";
  const isOff = { previous: index === 0, next: index >= steps.length - 1, play: steps.length < 2 };
  for (const [name, off] of Object.entries(isOff)) state[name].setAttribute("aria-disabled", String(off));
  state.latest.hidden = state.follows || playing !== null || !steps.length;
}
