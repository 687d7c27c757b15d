// Where each word of a translation looks: the matrices of one to four models side by side, each drawn like a film of
// one frame, all on one colour scale. A model without attention has its translation and a note.

export default function (component) {
  const root = component.parentElement.querySelector(".alignment");
  const state = stateOf(root, createAlignment);
  const { header, arrays } = unpack(component.data);
  const every = readMaps(header, arrays);
  const key = JSON.stringify(every.map(({ label, matrix, rows, cols }) => [label, matrix, rows, cols]));
  Object.assign(state, { header, every, panels: every.filter(({ matrix }) => matrix), theme: readTheme(root) });
  root.style.colorScheme = state.theme.dark ? "dark" : "light";
  if (state.key !== key) startAlignment(state, key);
  paintAlignment(state);
  followSelection(state, () => drawFilm(state));
  repaintOnResize(state, () => paintAlignment(state));
  return endOf(state);
}

// The weights that are drawn are places on the ramp; the exact ones are kept beside them.
function readMaps(header, arrays) {
  const { position } = SCALES[header.scale];
  return header.panels.map((panel, index) => {
    const exact = arrays[`weights${index}`]?.values ?? new Float32Array();
    const placed = (weight) => (weight > 0 && header.max > 0 ? clamp(position(weight / header.max), 0, 1) : 0);
    return {
      ...panel,
      exact,
      weights: Float32Array.from(exact, (weight) => WHOLE * placed(weight)),
      steps: [0],
      goldOf: goldKinds(panel),
      goldRows: new Set(panel.possible.map(([row]) => row)),
    };
  });
}

function exactWeight({ exact, cols }, row, col) {
  return exact[row * cols.length + col];
}

function createAlignment(root) {
  root.classList.add("film");
  const state = { root, every: [], panels: [], places: [], sections: [], step: 0, cell: null };
  state.stage = addElement(root, "div", "stage");
  state.legend = addElement(root, "div", "legend", { "aria-hidden": "true" });
  state.tooltip = addElement(root, "div", "tooltip", { "aria-hidden": "true" });
  state.live = addElement(root, "div", "visually-hidden live", { "aria-live": "polite" });
  return state;
}

function startAlignment(state, key) {
  Object.assign(state, { key, cell: null });
  state.stage.replaceChildren();
  state.stage.dataset.count = state.every.length;
  state.sections = state.every.map((panel) => createSection(state.stage, panel));
  state.places = state.sections.filter(({ canvas }) => canvas);
  state.panels.forEach((_, index) => listenToPanel(state, index));
}

function createSection(stage, panel) {
  const place = addElement(stage, "section", "panel", { "aria-label": panel.label });
  const head = addElement(place, "div", "panel-head");
  addElement(head, "bdi", "panel-label").textContent = panel.label;
  const about = addElement(head, "span", "panel-about");
  const translation = addElement(place, "p", "translation", { dir: "auto" });
  const body = addElement(place, "div", panel.matrix ? "map" : "empty");
  if (!panel.matrix) addElement(body, "span", "empty-title").textContent = "No attention, no matrix";
  const canvas = panel.matrix ? addElement(body, "canvas", "cells", {
    tabindex: "0", role: "application", "aria-roledescription": "heatmap, read it with the arrow keys",
  }) : null;
  const note = addElement(panel.matrix ? place : body, "p", "note");
  return { place, about, translation, canvas, note, scores: addElement(place, "div", "scores") };
}

function paintAlignment(state) {
  const { every, panels, places, sections, root, theme, legend, header } = state;
  const rem = remPixels();
  every.forEach((panel, index) => tellSection(sections[index], panel));
  const width = Math.max(Math.min(...places.map(({ place }) => place.clientWidth), Infinity), 10 * rem);
  state.layout = layoutFilm(panels, Number.isFinite(width) ? width : 10 * rem, theme, roomForMaps(state) * rem);
  state.contexts = places.map(({ canvas }, index) => {
    const { left, top, wide, high, ratio } = state.layout;
    return sizeCanvas(canvas, left + panels[index].cols.length * wide + 2,
      top + panels[index].rows.length * high + 2, ratio);
  });
  legend.hidden = panels.length === 0;
  renderLegend(legend, alignmentLegend(header));
  const kinds = linkKinds(panels);
  if (kinds.has("sure")) addElement(legend, "span", "legend-gold").textContent = "sure gold link";
  if (kinds.has("possible")) addElement(legend, "span", "legend-gold possible").textContent = "possible gold link";
  if (kinds.size) addElement(legend, "span", "legend-dot").textContent = "largest weight of its row";
  drawFilm(state);
  publishFigure(header.figure, () => alignmentSnapshot(state));
  markDrawn(root);
}

// In rem: a map is not higher than the window, so that its first and last row are seen together. Where the panels stand
// in two lines it is lower, so that one is not far from the other.
function roomForMaps({ theme, sections }) {
  const lines = new Set(sections.map(({ place }) => place.offsetTop)).size;
  return lines > 1 ? 24 : Math.min(roomInWindow(theme, 18, 20), 40);
}

function tellSection({ about, translation, note, scores }, panel) {
  about.textContent = panel.about;
  translation.textContent = panel.translation;
  note.textContent = panel.note;
  note.hidden = !panel.note;
  scores.replaceChildren();
  scores.hidden = panel.scores.length === 0;
  for (const [name, value] of panel.scores) {
    const score = addElement(scores, "span", "score");
    addElement(score, "span", "score-name").textContent = name;
    addElement(score, "span", "score-value").textContent = value;
  }
  addElement(scores, "span", `verdict ${panel.outcome}`).textContent = panel.verdict;
}

// What film_picking.js calls when another cell is pointed at.
function drawFilm(state) {
  const { panels, places, contexts, layout, theme, root } = state;
  panels.forEach((panel, index) => {
    drawPanel(contexts[index], panel, 0, layout, theme, pointedIn(state, index));
    drawFollowed(contexts[index], layout, theme, panel, followedRow(panel));
    places[index].canvas.setAttribute("aria-label", mapWords(panel));
  });
  tellPointed(state);
  Object.assign(root.dataset, { left: layout.left, top: layout.top, wide: layout.wide, high: layout.high,
    followed: panels.map(followedRow).join(" ") });
}

// The row of the token at which the figure "steps" is, where that shows this model; -1 for none.
function followedRow({ label, tokens }) {
  const { step, stepOf } = currentSelection();
  return stepOf === label && step !== undefined ? tokens.findIndex((own) => own.includes(step)) : -1;
}

function drawFollowed(context, { left, top, wide, high }, theme, { cols }, row) {
  if (row < 0) return;
  const [x, y, width] = [left - 1, top + row * high - 1, cols.length * wide + 1];
  for (const [ink, line] of [[theme.background, 5], [theme.accent, 2.5]]) {
    context.strokeStyle = cssColour(ink);
    context.lineWidth = line * theme.outline;
    context.strokeRect(x, y, width, high + 1);
  }
}
