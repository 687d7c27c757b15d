// "All heads": a grid of small attention maps, layers down and heads across. One canvas shows the tiles;
// a real button over each tile serves pointer, keyboard and screen reader.

const LARGEST_TILE_REM = { narrow: 64 / 15, wide: 8 };
const TALLEST_GRID_REM = 44;
// A card in which the tooltip finds no room beside the tiles.
const NARROW_REM = 32;
const TOOLTIP_ROOM_REM = 7;

export default function (component) {
  const root = component.parentElement.querySelector(".overview");
  const state = stateOf(root, createOverview);
  const { header, arrays } = unpack(component.data);
  state.tilesVersion += sameValues(state.tiles?.values, arrays.tiles.values) ? 0 : 1;
  state.header = header;
  state.tiles = arrays.tiles;
  state.anyMasked = arrays.tiles.values.includes(MASKED);
  state.select = (layer, head) => component.setTriggerValue("select", { layer, head });
  state.theme = readTheme(root);
  followHead(state);
  updateButtons(state);
  renderLegend(state.legend, { ...header.legend, masked: state.anyMasked });
  paintOverview(state);
  followSelection(state, () => {
    followHead(state);
    markSelected(state);
    drawOverview(state);
  });
  repaintOnResize(state, () => paintOverview(state));
  return endOf(state);
}

// [layer, head], the head being null for the mean over the heads of a layer; null before anything is selected.
function followHead(state) {
  const { layer, head } = currentSelection();
  state.selected = Number.isInteger(layer) ? [layer, head ?? null] : null;
}

function createOverview(root) {
  const plot = addElement(root, "div", "plot");
  return {
    root,
    plot,
    canvas: addElement(plot, "canvas", "tiles", { "aria-hidden": "true" }),
    grid: addElement(plot, "div", "buttons", { role: "group", "aria-label": "Attention heads" }),
    legend: addElement(root, "div", "legend", { "aria-hidden": "true" }),
    tooltip: addElement(root, "div", "tooltip", { "aria-hidden": "true" }),
    buttons: [],
    pointed: null,
    tilesVersion: 0,
  };
}

function updateButtons(state) {
  const { layers, heads, titles } = state.header;
  if (state.shape !== `${layers},${heads}`) {
    state.shape = `${layers},${heads}`;
    state.pointed = null;
    hideTooltip(state.tooltip);
    state.buttons = Array.from({ length: layers * heads }, (_, index) => createButton(state, index));
    state.grid.replaceChildren(...state.buttons);
  }
  state.buttons.forEach((button, index) => {
    const [layer, head] = [Math.floor(index / heads), index % heads];
    button.setAttribute("aria-label", `Layer ${layer} head ${head}, ${titles[index]}`);
  });
  markSelected(state);
}

function markSelected(state) {
  const [layer, head] = state.selected ?? [0, null];
  const chosen = head === null ? null : state.buttons[layer * state.header.heads + head];
  for (const button of state.buttons) button.setAttribute("aria-pressed", String(button === chosen));
  const focusInside = state.buttons.some((button) => button.matches(":focus"));
  if (!focusInside) moveTabStop(state.buttons, chosen ?? state.buttons[layer * state.header.heads] ?? state.buttons[0]);
}

function createButton(state, index) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.index = index;
  button.onpointerenter = () => pointAt(state, index);
  button.onpointerleave = () => pointAt(state, null);
  button.onfocus = () => button.matches(":focus-visible") && pointAt(state, index);
  button.onblur = () => pointAt(state, null);
  button.onkeydown = (event) => moveFocus(state, index, event);
  button.onclick = () => {
    const [layer, head] = placeOf(state, index);
    state.selected = [layer, head];
    moveTabStop(state.buttons, button);
    markSelected(state);
    drawOverview(state);
    state.select(layer, head);
  };
  return button;
}

function placeOf(state, index) {
  const { heads } = state.header;
  return [Math.floor(index / heads), index % heads];
}

function moveFocus(state, index, event) {
  const { layers, heads } = state.header;
  const [layer, head] = placeOf(state, index);
  const target = {
    ArrowLeft: besideTile(state, layer, head - 1),
    ArrowRight: besideTile(state, layer, head + 1),
    ArrowUp: [Math.max(0, layer - 1), head],
    ArrowDown: [Math.min(layers - 1, layer + 1), head],
    Home: [event.ctrlKey ? 0 : layer, 0],
    End: [event.ctrlKey ? layers - 1 : layer, heads - 1],
  }[event.key];
  if (event.key === "Escape") hideTooltip(state.tooltip);
  if (!target) return;
  event.preventDefault();
  const button = state.buttons[target[0] * heads + target[1]];
  moveTabStop(state.buttons, button);
  button.focus();
}

// From the edge of a block of layers on to the block beside it.
function besideTile({ header: { layers, heads }, layout: { perBlock } }, layer, head) {
  if (head < 0) return layer >= perBlock ? [layer - perBlock, heads - 1] : [layer, 0];
  if (head < heads) return [layer, head];
  return layer + perBlock < layers ? [layer + perBlock, 0] : [layer, heads - 1];
}

function pointAt(state, index) {
  state.pointed = index === null ? null : placeOf(state, index);
  drawOverview(state);
  if (index === null) {
    hideTooltip(state.tooltip);
    return;
  }
  const [layer, head] = state.pointed;
  const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = state.buttons[index];
  const [left, top] = [state.grid.offsetLeft + offsetLeft, state.grid.offsetTop + offsetTop];
  const isBelow = standsBelow(state);
  const measures = state.header.titles[index].split(" · ").filter(Boolean).map(isBelow ? briefly : String);
  const remark = isBelow && measures.some((text) => text.endsWith(")")) ? " · uniform in brackets" : "";
  state.tooltip.classList.toggle("below", isBelow);
  showTooltip(state.tooltip, [
    { className: "tooltip-title", pieces: [{ text: `Layer ${layer} · Head ${head}${remark}` }] },
    ...measures.map((text) => ({ className: "tooltip-note", pieces: [{ text }] })),
  ], { left, top, right: left + offsetWidth, bottom: top + offsetHeight });
  if (isBelow) placeBelow(state);
  else placeAside(state, left, top, offsetWidth, offsetHeight);
}

// "entropy 1.63 nats (uniform 2.77)" without what the other measures and the panel beside it say too.
function briefly(text) {
  return text.replace(/(?: nats| tokens)? \(uniform /, " (");
}

// In a narrow card the tooltip stands over the legend, where it covers no tile, if that is in the window.
function standsBelow({ root, layout }) {
  const end = root.getBoundingClientRect().top + layout.totalHeight;
  return root.clientWidth < NARROW_REM * remPixels() && end + TOOLTIP_ROOM_REM * remPixels() < innerHeight;
}

function placeBelow({ tooltip, layout }) {
  Object.assign(tooltip.style, { maxWidth: "", left: "0", top: `${layout.totalHeight + 4}px` });
}

// To the right of the tile or to its left, never above or below it, and if there is room with the next tile free:
// whoever looks at tiles one after the other must see where to go.
function placeAside({ root, tooltip }, left, top, width, height) {
  const space = 8;
  const rooms = { right: root.clientWidth - left - width - space, left: left - space };
  tooltip.style.maxWidth = `${Math.max(rooms.left, rooms.right)}px`;
  const needed = tooltip.offsetWidth;
  const side = rooms.right >= needed || rooms.right >= rooms.left ? "right" : "left";
  const free = rooms[side] >= needed + width ? width : 0;
  const x = side === "right" ? left + width + space + free : left - space - free - needed;
  const window = root.getBoundingClientRect().top;
  const lowest = Math.min(root.clientHeight, innerHeight - window) - tooltip.offsetHeight;
  const highest = Math.max(0, -window);
  tooltip.style.left = `${x}px`;
  tooltip.style.top = `${clamp(top + (height - tooltip.offsetHeight) / 2, highest, Math.max(highest, lowest))}px`;
}

function paintOverview(state) {
  const rem = remPixels();
  const largest = clamp(state.root.clientWidth / rem / 6, LARGEST_TILE_REM.narrow, LARGEST_TILE_REM.wide);
  const room = { width: state.root.clientWidth, height: TALLEST_GRID_REM * rem, tile: largest * rem };
  const layout = layoutOverview(state, room, devicePixelRatio || 1);
  state.layout = layout;
  const pictureKey = JSON.stringify([layout, state.theme.key, state.tilesVersion]);
  if (state.pictureKey !== pictureKey) {
    state.pictureKey = pictureKey;
    state.pictures = renderTiles(state, layout);
  }
  state.context = sizeCanvas(state.canvas, layout.totalWidth, layout.totalHeight, layout.ratio);
  placeButtons(state);
  hideTooltip(state.tooltip);
  drawOverview(state);
  publishFigure(state.header.figure, () => overviewSnapshot(state));
  markDrawn(state.root);
}

// A button over each tile and half of the gaps around it.
function placeButtons({ grid, buttons, layout, header }) {
  const { ratio, left, top, gap, blocks, blockPitch, pitchX, pitchY } = layout;
  const { heads } = header;
  const between = blockPitch - heads * pitchX;
  const columns = `repeat(${heads}, ${pitchX / ratio}px)`;
  Object.assign(grid.style, {
    left: `${left + gap / 2 / ratio}px`,
    top: `${top + gap / 2 / ratio}px`,
    gridTemplateColumns: Array(blocks).fill(columns).join(` ${between / ratio}px `),
    gridAutoRows: `${pitchY / ratio}px`,
  });
  buttons.forEach((button, index) => {
    const { block, row } = rowOf(layout, Math.floor(index / heads));
    button.style.gridArea = `${row + 1} / ${block * (heads + 1) + (index % heads) + 1}`;
  });
}
