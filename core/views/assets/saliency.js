// The words of a text under each method: rows of coloured words in blocks, each block a canvas that is painted when it
// comes near the window. What points and marks lies over the canvases, so that pointing paints nothing anew.

// Blocks are painted ahead of the window by so much.
const AHEAD = "600px";

export default function (component) {
  const root = component.parentElement.querySelector(".saliency");
  const state = stateOf(root, createSaliency);
  const { header, arrays } = unpack(component.data);
  const theme = readTheme(root);
  const rows = readRows(header, arrays);
  if (header.picked !== state.header?.picked || state.header?.labels.join() !== header.labels.join()) {
    state.picked = header.picked;
  }
  Object.assign(state, { component, header, theme, labels: header.labels, diverging: divergingColours(theme),
    shown: rows.filter((row) => row.state !== "refused"), refused: rows.filter((row) => row.state === "refused") });
  root.style.colorScheme = theme.dark ? "dark" : "light";
  paintSaliency(state);
  repaintOnResize(state, () => paintSaliency(state));
  return endOf(state);
}

function createSaliency(root) {
  const state = { root, header: null, picked: null, cell: null, sections: [], clips: new Map() };
  state.stage = addElement(root, "div", "stage", {
    tabindex: "0", role: "application", "aria-roledescription": "words by method, read them with the arrow keys",
  });
  state.refusals = addElement(root, "ul", "refusals", { "aria-label": "Methods that do not apply" });
  state.legends = addElement(root, "div", "legends", { "aria-hidden": "true" });
  state.tooltip = addElement(root, "div", "tooltip", { "aria-hidden": "true" });
  state.live = addElement(root, "div", "visually-hidden live", { "aria-live": "polite" });
  state.ring = document.createElement("div");
  state.ring.className = "ring";
  state.mark = document.createElement("div");
  state.mark.className = "mark";
  listenToWords(state);
  return state;
}

function readRows(header, arrays) {
  const count = header.labels.length;
  let at = 0;
  return header.rows.map((row) => {
    if (row.state !== "scored") return row;
    const number = at;
    at += 1;
    return {
      ...row,
      values: arrays.values.values.subarray(number * count, (number + 1) * count),
      errors: arrays[`error${number}`]?.values ?? null,
    };
  });
}

function paintSaliency(state) {
  const { root, stage, header, labels, shown } = state;
  state.clips.clear();
  pointAtWord(state, null);
  // Room for a bar at the side, whether there is one or not: else the columns would jump as rows arrive.
  const layout = layoutWords(state, Math.max(root.clientWidth - 0.8 * remPixels(), 12 * remPixels()));
  state.layout = layout;
  const scrolled = stage.scrollTop;
  stage.replaceChildren();
  state.sections = labels.length && shown.length ? layout.blocks.map(() => createBlockSection(state)) : [];
  stage.hidden = state.sections.length === 0;
  stage.setAttribute("aria-label", figureWords(state));
  stage.scrollTop = scrolled;
  watchSections(state);
  fillRefusals(state);
  fillLegends(state);
  markPicked(state);
  Object.assign(root.dataset, { rows: shown.length, blocks: state.sections.length });
  publishFigure(header.figure, () => wordsSnapshot(state));
  markDrawn(root);
}

function createBlockSection({ stage, layout }) {
  const element = addElement(stage, "div", "words-block");
  element.style.height = `${layout.height}px`;
  return { element, canvas: null };
}

// A long text under many methods is higher than a canvas can be and than memory should hold.
function watchSections(state) {
  const { sections } = state;
  sections.slice(0, 2).forEach((_, index) => paintSection(state, index));
  const watch = whileThere(state, (entries) => {
    for (const { target, isIntersecting } of entries) {
      const index = sections.findIndex(({ element }) => element === target);
      if (isIntersecting) paintSection(state, index);
      else clearSection(sections[index]);
    }
  });
  begin(state, "nearby", () => {
    const observer = new IntersectionObserver(watch, { rootMargin: AHEAD });
    for (const { element } of sections) observer.observe(element);
    return () => observer.disconnect();
  });
}

function paintSection(state, index) {
  const section = state.sections[index];
  if (section.canvas) return;
  const { layout } = state;
  section.canvas = document.createElement("canvas");
  section.element.prepend(section.canvas);
  const context = sizeCanvas(section.canvas, layout.width, layout.height, devicePixelRatio);
  drawBlock(context, state, layout, layout.blocks[index]);
}

function clearSection(section) {
  section.canvas?.remove();
  section.canvas = null;
}

function fillRefusals({ refusals, refused }) {
  refusals.replaceChildren();
  refusals.hidden = refused.length === 0;
  for (const { title, refused: sentence } of refused) {
    const line = addElement(refusals, "li", "");
    addElement(line, "span", "refused-title").textContent = title;
    line.append(": ", sentence);
  }
}

function fillLegends(state) {
  const { legends, theme } = state;
  legends.replaceChildren();
  for (const legend of wordsLegends(state)) {
    const element = addElement(legends, "div", "legend");
    renderLegend(element, legend);
    const stops = Array.from({ length: 17 }, (_, step) => cssColour(legend.ramp[Math.round((step / 16) * TOP_LEVEL)]));
    element.style.setProperty("--ramp", `linear-gradient(to right, ${stops.join(", ")})`);
  }
  const remark = marksRemark(state);
  if (remark) addElement(legends, "div", "marks-remark").textContent = remark;
  if (state.shown.some((row) => row.state === "pending")) {
    addElement(legends, "div", "legend-pending").textContent = "still computed";
  }
  legends.style.setProperty("--pending", cssColour(theme.hatch[1]));
}
