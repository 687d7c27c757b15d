// Attention as it is learnt: one heatmap a run, in step, with a slider over the frames. New frames keep arriving while
// a run trains; what a person shows, plays or points at stays as it is.

export default function (component) {
  const root = component.parentElement.querySelector(".film");
  const state = stateOf(root, createFilm);
  const { header, arrays } = unpack(component.data);
  const panels = readPanels(header, arrays);
  const key = filmKey(panels);
  const wasLonger = panels.some(({ steps }, index) => steps.length < (state.panels[index]?.steps.length ?? 0));
  Object.assign(state, { header, panels, steps: allSteps(panels), theme: readTheme(root) });
  root.style.colorScheme = state.theme.dark ? "dark" : "light";
  if (state.key !== key || wasLonger) startAnew(state, key);
  keepStep(state);
  paintFilm(state);
  repaintOnResize(state, () => paintFilm(state));
  return endOf(state);
}

function createFilm(root) {
  const state = { root, panels: [], places: [], steps: [], step: null, follows: true, playing: null, cell: null };
  state.controls = createControls(state, root);
  state.stage = addElement(root, "div", "stage");
  state.legend = addElement(root, "div", "legend", { "aria-hidden": "true" });
  state.tooltip = addElement(root, "div", "tooltip", { "aria-hidden": "true" });
  state.live = addElement(root, "div", "visually-hidden live", { "aria-live": "polite" });
  return state;
}

function startAnew(state, key) {
  Object.assign(state, { key, follows: true, step: null, cell: null, playing: null });
  state.stage.replaceChildren();
  state.places = state.panels.map((panel) => createPlace(state.stage, panel));
  state.panels.forEach((_, index) => listenToPanel(state, index));
}

function createPlace(stage, panel) {
  const place = addElement(stage, "section", "panel", { "aria-label": panel.label });
  place.style.setProperty("--run", panel.colour);
  const head = addElement(place, "div", `panel-head ${panel.dash}`);
  const name = addElement(head, "div", "panel-name");
  addElement(name, "bdi", "panel-label").textContent = panel.label;
  const about = addElement(name, "span", "panel-about");
  const own = addElement(head, "div", "panel-step");
  const error = addElement(head, "div", "panel-error");
  const canvas = addElement(place, "canvas", "cells", {
    tabindex: "0", role: "application", "aria-roledescription": "heatmap, read it with the arrow keys",
  });
  return { place, about, own, error, canvas };
}

function paintFilm(state) {
  const { panels, places, root, theme, legend, controls } = state;
  const rem = remPixels();
  const below = places.length ? Math.min(...places.map(({ canvas }) => roomBelow(canvas))) : 0;
  const room = Math.max(SHORTEST_FILM_REM * rem, below - BELOW_FILM_REM * rem);
  state.layout = layoutFilm(panels, Math.max(places[0]?.place.clientWidth ?? 0, 10 * rem), theme, room);
  const { width, height, ratio } = state.layout;
  // The slider ends where the maps end.
  const last = places.at(-1)?.place;
  controls.style.maxWidth = last ? `${last.offsetLeft - state.stage.offsetLeft + width}px` : "";
  state.contexts = places.map(({ canvas }) => sizeCanvas(canvas, width, height, ratio));
  renderLegend(legend, { ticks: ["0", "0.5", "1"], remark: "attention weight", masked: false });
  const kinds = kindsOfGold(panels);
  if (kinds.has("sure")) addElement(legend, "span", "legend-gold").textContent = "gold link";
  if (kinds.has("possible")) addElement(legend, "span", "legend-gold possible").textContent = "possible gold link";
  if (kinds.size) addElement(legend, "span", "legend-dot").textContent = "largest weight of its row";
  paintStrip(state);
  drawFilm(state);
  publishFigure(state.header.figure, () => filmSnapshot(state));
  markDrawn(root);
}

function drawFilm(state) {
  const { panels, places, contexts, layout, theme, step, root } = state;
  panels.forEach((panel, index) => {
    const frame = frameAt(panel, step);
    const { about, own, error, canvas } = places[index];
    drawPanel(contexts[index], panel, frame, layout, theme, pointedIn(state, index));
    about.textContent = panel.about;
    own.textContent = panel.steps[frame] === step ? "" : panelStep(panel, frame);
    error.replaceChildren();
    const rate = errorWords(panel, frame);
    if (rate) {
      addElement(error, "span", "error-name", { title: ERROR_RATE }).textContent = "error rate";
      addElement(error, "span", "error-number").textContent = rate;
    }
    canvas.setAttribute("aria-label", panelWords(panel, frame));
  });
  updateControls(state);
  drawStrip(state);
  tellPointed(state);
  Object.assign(root.dataset, { step: step ?? "", index: shownIndex(state), frames: state.steps.length,
    left: layout.left, top: layout.top, wide: layout.wide, high: layout.high });
}
