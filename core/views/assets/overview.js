// "All heads": a grid of small attention maps, layers down and heads across. One canvas shows the tiles;
// a real button over each tile serves pointer, keyboard and screen reader.

const LARGEST_TILE_REM = 64 / 15;
const TALLEST_GRID_REM = 44;

export default function (component) {
  const root = component.parentElement.querySelector(".overview");
  const state = stateOf(root, createOverview);
  const { header, arrays } = unpack(component.data);
  state.tilesVersion += sameValues(state.tiles?.values, arrays.tiles.values) ? 0 : 1;
  state.header = header;
  state.tiles = arrays.tiles;
  state.selected = header.selected;
  state.anyMasked = arrays.tiles.values.includes(MASKED);
  state.select = (layer, head) => component.setTriggerValue("select", { layer, head });
  state.theme = readTheme(root);
  updateButtons(state);
  renderLegend(state.legend, { ticks: ["0", "tile maximum"], masked: state.anyMasked });
  paintOverview(state);
  return repaintOnResize(root, state, () => paintOverview(state));
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
  const [layer, head] = state.selected;
  const chosen = state.buttons[layer * state.header.heads + head];
  for (const button of state.buttons) button.setAttribute("aria-pressed", String(button === chosen));
  const focusInside = state.buttons.some((button) => button.matches(":focus"));
  if (!focusInside) moveTabStop(state.buttons, chosen ?? state.buttons[0]);
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
  showTooltip(state.tooltip, [
    { className: "tooltip-title", pieces: [{ text: `Layer ${layer} · Head ${head}` }] },
    { className: "tooltip-note", pieces: [{ text: state.header.titles[index] }] },
  ], { left, top, right: left + offsetWidth, bottom: top + offsetHeight });
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
  const roomAcross = ((state.root.clientWidth - left) * ratio) / heads;
  const roomDown = (TALLEST_GRID_REM * rem * ratio) / layers;
  const room = Math.floor(Math.min(roomAcross, roomDown));
  const gap = Math.round(clamp(room * 0.15, 3 * ratio, 6 * ratio));
  const largest = Math.max(ratio, Math.min(room - gap, LARGEST_TILE_REM * rem * ratio));
  const cell = snapCell(largest / Math.max(tileRows, tileCols), 0.1);
  const width = Math.max(1, Math.round(cell * tileCols));
  const height = Math.max(1, Math.round(cell * tileRows));
  const spare = Math.max(0, Math.min(room - width - gap, Math.round(4 * ratio)));
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
  const titleHeight = layout.font * 4;
  state.context = sizeCanvas(state.canvas, left + gridWidth, top + Math.max(gridHeight, titleHeight), ratio);
  Object.assign(state.grid.style, {
    left: `${left + gap / 2 / ratio}px`,
    top: `${top + gap / 2 / ratio}px`,
    gridTemplateColumns: `repeat(${heads}, ${pitchX / ratio}px)`,
    gridAutoRows: `${pitchY / ratio}px`,
  });
  hideTooltip(state.tooltip);
  drawOverview(state);
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

function drawOverview(state) {
  const { context, layout, theme, picture } = state;
  const { ratio, left, top } = layout;
  const [width, height] = [picture.width / ratio, picture.height / ratio];
  context.clearRect(0, 0, state.canvas.width, state.canvas.height);
  context.fillStyle = cssColour(theme.panel);
  context.beginPath();
  context.roundRect(left, top, width, height, 4);
  context.fill();
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, left, top, width, height);
  drawNumbers(state);
  if (state.pointed) outlineTile(state, state.pointed, theme.muted);
  outlineTile(state, state.selected, theme.accent);
}

// The outline stays inside the gap, with air to the tile: first and last columns hold attention sinks.
function outlineTile(state, [layer, head], colour) {
  const { context, layout } = state;
  const { ratio, left, top, gap, width, height, pitchX, pitchY } = layout;
  const air = Math.max(1, Math.round(ratio * 0.75));
  const wanted = gap > 4 * air ? gap - 2 * air : gap - air;
  const thickness = clamp(wanted, 1, Math.round(2.5 * ratio));
  const inset = air + thickness / 2;
  context.strokeStyle = cssColour(colour);
  context.lineWidth = thickness / ratio;
  context.beginPath();
  context.roundRect(
    left + (gap + head * pitchX - inset) / ratio,
    top + (gap + layer * pitchY - inset) / ratio,
    (width + 2 * inset) / ratio,
    (height + 2 * inset) / ratio,
    2,
  );
  context.stroke();
}

function drawNumbers(state) {
  const { context, layout, theme } = state;
  const { layers, heads } = state.header;
  const { ratio, font, left, top, gap, width, height, pitchX, pitchY } = layout;
  const [layer, head] = state.pointed ?? state.selected;
  context.textBaseline = "middle";
  drawNumberLine(state, heads, head, pitchX / ratio, font * 1.9, (index, text) => {
    context.textAlign = "center";
    context.fillText(text, left + (gap + index * pitchX + width / 2) / ratio, top - font * 0.75);
  });
  drawNumberLine(state, layers, layer, pitchY / ratio, font * 1.2, (index, text) => {
    context.textAlign = "right";
    context.fillText(text, left - font * 0.5, top + (gap + index * pitchY + height / 2) / ratio);
  });
  context.font = `${font}px ${theme.font}`;
  context.fillStyle = cssColour(theme.muted);
  context.textAlign = "left";
  context.fillText("head →", left + gap / ratio, font * 0.7);
  context.save();
  context.translate(font * 0.65, top + gap / ratio);
  context.rotate(-Math.PI / 2);
  context.textAlign = "right";
  context.fillText("← layer", 0, 0);
  context.restore();
}

// Numbers thin out when tiles are smaller than the digits; the current one is always there.
function drawNumberLine(state, count, current, pitch, room, place) {
  const { context, layout, theme } = state;
  const step = Math.ceil(room / pitch);
  for (let index = 0; index < count; index += 1) {
    const emphasised = index === current;
    if (!emphasised && (index % step !== 0 || Math.abs(index - current) < step)) continue;
    context.font = `${emphasised ? "bold " : ""}${layout.font}px ${theme.font}`;
    context.fillStyle = cssColour(emphasised ? theme.text : theme.muted);
    place(index, String(index));
  }
}
