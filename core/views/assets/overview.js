// "All heads": a grid of small attention maps, layers down and heads across. One canvas shows the tiles;
// a real button over each tile serves pointer, keyboard and screen reader.

const LARGEST_TILE_REM = 64 / 15;
const TALLEST_GRID_REM = 44;
// Between tiles, in pixels; up to SPARE of it is what was left when their sizes were rounded.
const [WIDEST_GAP, SPARE] = [10, 4];

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
  const stopFollowing = followSelection(root, state, () => {
    followHead(state);
    markSelected(state);
    drawOverview(state);
  });
  const stopWatching = repaintOnResize(root, state, () => paintOverview(state));
  return () => {
    stopFollowing();
    stopWatching();
  };
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
    picture: document.createElement("canvas"),
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
    ArrowLeft: [layer, Math.max(0, head - 1)],
    ArrowRight: [layer, Math.min(heads - 1, head + 1)],
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
  const measures = state.header.titles[index].split(" · ").filter(Boolean);
  showTooltip(state.tooltip, [
    { className: "tooltip-title", pieces: [{ text: `Layer ${layer} · Head ${head}` }] },
    ...measures.map((text) => ({ className: "tooltip-note", pieces: [{ text }] })),
  ], { left, top, right: left + offsetWidth, bottom: top + offsetHeight });
  placeAside(state, left, top, offsetWidth, offsetHeight);
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

// All tile lengths are whole device pixels; margins are CSS pixels.
function layoutOverview(state) {
  const { layers, heads } = state.header;
  const [, , tileRows, tileCols] = state.tiles.shape;
  const [rem, ratio] = [remPixels(), devicePixelRatio || 1];
  const font = Math.round(0.73 * rem);
  const digits = Math.max(String(layers - 1).length, 2);
  const left = Math.round(font * (1.5 + 0.6 * digits));
  const top = Math.round(font * 2.7);
  // There is one gap more than there are tiles across.
  const roomAcross = ((state.root.clientWidth - left - WIDEST_GAP) * ratio) / heads;
  const roomDown = (TALLEST_GRID_REM * rem * ratio) / layers;
  const room = Math.floor(Math.min(roomAcross, roomDown));
  const gap = Math.round(clamp(room * 0.15, 3 * ratio, (WIDEST_GAP - SPARE) * ratio));
  const largest = Math.max(ratio, Math.min(room - gap, LARGEST_TILE_REM * rem * ratio));
  const cell = snapCell(largest / Math.max(tileRows, tileCols), 0.1);
  const width = Math.max(1, Math.round(cell * tileCols));
  const height = Math.max(1, Math.round(cell * tileRows));
  const spare = Math.max(0, Math.min(room - width - gap, Math.round(SPARE * ratio)));
  const pitchX = width + gap + spare;
  const pitchY = height + gap + spare;
  return { ratio, font, left, top, gap: gap + spare, width, height, pitchX, pitchY };
}

function paintOverview(state) {
  const { layers, heads } = state.header;
  const layout = layoutOverview(state);
  state.layout = layout;
  const { ratio, left, top, pitchX, pitchY, gap } = layout;
  const [gridWidth, gridHeight] = [(pitchX * heads + gap) / ratio, (pitchY * layers + gap) / ratio];
  const pictureKey = JSON.stringify([layout, state.theme.key, state.tilesVersion]);
  if (state.pictureKey !== pictureKey) {
    state.pictureKey = pictureKey;
    renderTiles(state);
  }
  layout.totalWidth = left + gridWidth;
  layout.totalHeight = top + Math.max(gridHeight, layout.font * 4);
  state.context = sizeCanvas(state.canvas, layout.totalWidth, layout.totalHeight, ratio);
  Object.assign(state.grid.style, {
    left: `${left + gap / 2 / ratio}px`,
    top: `${top + gap / 2 / ratio}px`,
    gridTemplateColumns: `repeat(${heads}, ${pitchX / ratio}px)`,
    gridAutoRows: `${pitchY / ratio}px`,
  });
  hideTooltip(state.tooltip);
  drawOverview(state);
  publishFigure(state.header.figure, () => overviewSnapshot(state));
  markDrawn(state.root);
}

function renderTiles(state) {
  const { layers, heads } = state.header;
  const { values, shape: [, , rows, cols] } = state.tiles;
  const { ratio, width, height, pitchX, pitchY, gap } = state.layout;
  const palette = { ...makePalette(state.theme, ratio), stroke: 0 };
  state.picture.width = pitchX * heads + gap;
  state.picture.height = pitchY * layers + gap;
  const context = state.picture.getContext("2d");
  const image = context.createImageData(state.picture.width, state.picture.height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let index = 0; index < layers * heads; index += 1) {
    const [layer, head] = placeOf(state, index);
    const tile = values.subarray(index * rows * cols, (index + 1) * rows * cols);
    const levels = resampleLevels(tile, rows, cols, height, width);
    const [x, y] = [gap + head * pitchX, gap + layer * pitchY];
    paintLevels(pixels, image.width, x, y, levels, height, width, palette);
  }
  context.putImageData(image, 0, 0);
}
