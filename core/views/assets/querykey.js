// Query-key view: how one query of one head came to its weights. A row a key on a scrolling sheet, drawn on a
// canvas that sticks to the visible box; one tab stop, read with the arrow keys.

const BOX_REM = 27;
// The page's head, chooser, steps and vectors above the sheet, and the legend below it.
const AROUND_BOX_REM = 36;
const SHORTEST_BOX_REM = 15;
const MANY_QUERIES = 200;
const SUGGESTIONS = 40;

export default function (component) {
  const root = component.parentElement.querySelector(".querykey");
  const state = stateOf(root, createDetail);
  const { header, arrays } = unpack(component.data);
  Object.assign(state, { component, header, theme: readTheme(root) });
  readDetail(state, header, arrays);
  state.diverging = divergingColours(state.theme);
  root.style.colorScheme = state.theme.dark ? "dark" : "light";
  stop(state, "waiting");
  root.classList.remove("waiting");
  updateChooser(state);
  updateWords(state);
  forgetOtherKeys(state);
  adoptDetail(state);
  listenToDetail(state);
  paintDetail(state);
  followSelection(state, () => followQuery(state));
  repaintOnResize(state, () => paintDetail(state));
  return endOf(state);
}

function createDetail(root) {
  const bar = addElement(root, "div", "bar");
  const chooser = addElement(bar, "label", "chooser");
  chooser.textContent = "query ";
  const words = addElement(root, "div", "words");
  const formula = addElement(words, "div", "formula");
  const worked = addElement(words, "div", "worked");
  const remark = addElement(root, "div", "remark");
  const head = addElement(root, "canvas", "head", { "aria-hidden": "true" });
  const box = addElement(root, "div", "box", {
    tabindex: "0", role: "application", "aria-roledescription": "table of keys, read it with the arrow keys",
  });
  const sheet = addElement(box, "div", "sheet");
  const state = {
    root, bar, chooser, formula, worked, remark, head, box, sheet,
    canvas: addElement(sheet, "canvas", "rows", { "aria-hidden": "true" }),
    legend: addElement(root, "div", "legend", { "aria-hidden": "true" }),
    tooltip: addElement(root, "div", "tooltip", { "aria-hidden": "true" }),
    live: addElement(root, "div", "visually-hidden live", { "aria-live": "polite" }),
    scratch: document.createElement("canvas").getContext("2d"),
    pointed: null,
    cursor: null,
    picked: null,
    unseen: null,
  };
  const options = [["position", "by position"], ["weight", "by weight"]];
  state.choice = addChoice(bar, "Order of the keys", options, (order) => chooseOrder(state, order));
  return state;
}

// A list for a short text; for a long one a field that finds queries by number or letters.
function updateChooser(state) {
  const { header, chooser } = state;
  const { query_labels: labels, query_places: places } = header;
  const content = JSON.stringify([labels, places]);
  const isLong = labels.length > MANY_QUERIES;
  if (state.choices !== content) {
    state.choices = content;
    state.field?.remove();
    state.list?.remove();
    state.field = addElement(chooser, isLong ? "input" : "select", "", isLong ? { type: "text" } : {});
    if (isLong) {
      state.list = addElement(chooser, "datalist", "", { id: "headlight-queries" });
      state.field.setAttribute("list", "headlight-queries");
    } else labels.forEach((label, index) => addQueryOption(state.field, places[index], label));
  }
  state.field.value = isLong ? queryText(header.query_place, header.query_label) : String(header.query_place);
  state.field.onchange = () => chooseQuery(state);
  state.field.oninput = isLong ? () => suggestQueries(state) : null;
  state.field.onfocus = isLong ? () => state.field.select() : null;
}

function queryText(place, label) {
  return `${place} ${shorten(label, 24)}`;
}

function addQueryOption(parent, place, label) {
  addElement(parent, "option", "", { value: place }).textContent = queryText(place, label);
}

function suggestQueries({ field, list, header }) {
  const wanted = field.value.trim().toLowerCase();
  const texts = header.query_labels.map((label, index) => queryText(header.query_places[index], label));
  const found = texts.filter((text) => text.toLowerCase().includes(wanted)).slice(0, SUGGESTIONS);
  list.replaceChildren();
  for (const text of found) addElement(list, "option", "", { value: text });
}

function chooseQuery(state) {
  const { field, header } = state;
  const { query_labels: labels, query_places: places } = header;
  const text = field.value.trim();
  const byNumber = places.indexOf(Number.parseInt(text, 10));
  const index = byNumber >= 0 ? byNumber : labels.findIndex((label) => label.toLowerCase() === text.toLowerCase());
  if (index < 0) {
    field.value = queryText(header.query_place, header.query_label);
    state.live.textContent = "There is no such query.";
    return;
  }
  changeSelection(state, { query: places[index] });
  awaitQuery(state, places[index]);
  state.component.setTriggerValue("pick", { query: places[index] });
}

// Numbers of another query must come from Python first; these are greyed until then.
function awaitQuery(state, place) {
  const isAwaited = place !== null && place !== state.header.query_place && state.header.query_places.includes(place);
  state.root.classList.toggle("waiting", isAwaited);
  if (isAwaited) after(state, "waiting", 10000, () => state.root.classList.remove("waiting"));
  else stop(state, "waiting");
}

function followQuery(state) {
  adoptDetail(state);
  paintDetail(state);
  awaitQuery(state, currentSelection().query ?? null);
}

function forgetOtherKeys(state) {
  const content = JSON.stringify([state.header.col_labels, state.header.col_places]);
  if (state.content === content) return;
  state.content = content;
  Object.assign(state, { pointed: null, cursor: null, picked: null });
  state.box.scrollTop = 0;
}

function adoptDetail(state) {
  const { key = null, order } = currentSelection();
  const index = state.header.col_places.indexOf(key);
  const picked = index < 0 ? null : index;
  state.unseen = picked !== state.picked ? picked : null;
  state.picked = picked;
  state.order = order === "weight" ? "weight" : "position";
  state.rows = orderKeys(state);
  showChoice(state.choice, state.order);
}

function chooseOrder(state, order) {
  if (state.order === order) return;
  changeSelection(state, { order });
  adoptDetail(state);
  state.box.scrollTop = 0;
  paintDetail(state);
  state.component.setTriggerValue("order", { order });
}

function updateWords(state) {
  const { header, formula, remark, box, legend, dims, largest } = state;
  formula.textContent = formulaText(state);
  remark.textContent = header.remark ?? "";
  remark.hidden = !header.remark;
  const title = `Keys of query ${header.query_place} ${header.query_label}`;
  box.setAttribute("aria-label", `${title}, ${state.keys} keys. ${formulaText(state)}`);
  legend.hidden = !dims;
  if (!dims) return;
  renderLegend(legend, { ticks: productTicks(largest), remark: legendRemark(largest), masked: false });
  const stops = Array.from({ length: 17 }, (_, at) => state.diverging[Math.round((at / 16) * 2 * DIVERGING.steps)]);
  legend.style.setProperty("--ramp", `linear-gradient(to right, ${stops.map(cssColour).join(", ")})`);
}

// The key looked at: under the pointer, at the keyboard's cursor, picked, or else the strongest.
function lookAtKey(state) {
  const key = state.pointed?.key ?? state.cursor?.key ?? null;
  const dim = state.pointed ? state.pointed.dim : state.cursor?.dim ?? null;
  const shown = key ?? state.picked ?? strongestKey(state);
  return { key: shown, dim: dim ?? null, picked: state.picked, active: key !== null };
}

function paintDetail(state) {
  const { box, sheet, head, canvas, rows, root, theme } = state;
  const ratio = devicePixelRatio || 1;
  const row = Math.round(1.5 * remPixels());
  const room = Math.min(BOX_REM, roomInWindow(theme, AROUND_BOX_REM, SHORTEST_BOX_REM)) * remPixels();
  const visible = Math.min(rows.length, Math.floor(room / row)) * row;
  box.style.height = `${visible}px`;
  sheet.style.height = `${rows.length * row}px`;
  const layout = layoutDetail(state, sheet.clientWidth);
  Object.assign(layout, { visible, ratio });
  state.layout = layout;
  state.headContext = sizeCanvas(head, layout.width, headHeight(layout), ratio);
  state.context = sizeCanvas(canvas, layout.width, visible, ratio);
  drawDetail(state);
  publishFigure(state.header.figure, () => detailSnapshot(state));
  root.dataset.query = state.header.query_place;
}

// Scrolls the sheet, never the page, to the key that another figure picked.
function revealKey(state) {
  const { box, rows, layout: { row, visible } } = state;
  const top = rows.indexOf(state.unseen) * row;
  if (top < box.scrollTop || top + row > box.scrollTop + visible) box.scrollTop = top - visible / 3;
  state.unseen = null;
}

function drawDetail(state) {
  const { context, headContext, layout, box, rows, root, worked } = state;
  const { row, visible, width } = layout;
  const look = lookAtKey(state);
  if (state.unseen !== null) revealKey(state);
  const first = Math.floor(box.scrollTop / row);
  const last = Math.min(rows.length - 1, Math.ceil((box.scrollTop + visible) / row) - 1);
  headContext.clearRect(0, 0, width, headHeight(layout));
  drawDetailHead(headContext, state, layout, look);
  context.clearRect(0, 0, width, visible);
  context.save();
  context.translate(0, -box.scrollTop);
  drawKeyRows(context, state, layout, [first, last], look);
  if (look.dim !== null) markDimension(context, state, layout, look.dim, first * row, (last - first + 1) * row);
  context.restore();
  if (look.dim !== null) markDimension(headContext, state, layout, look.dim, 0, headHeight(layout) - 1.6 * layout.rem);
  worked.replaceChildren();
  addElement(worked, "bdi", "").textContent = shorten(keyName(state, look.key), 24);
  worked.append(`: ${workedText(state, look.key)}`);
  root.dataset.key = look.key;
  markDrawn(root);
}
