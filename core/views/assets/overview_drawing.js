// The picture of all heads, on the screen and in exports: tiles, numbers and outlines.
// Plain functions without import or export: Python puts this text in front of overview.js.

// In pixels of the paper: two of a PNG each, so that it fills a slide.
const PAPER = { width: 800, height: 900, tile: 200 };

function drawOverview(state) {
  state.context.clearRect(0, 0, state.canvas.width, state.canvas.height);
  drawGrid(state, state.context, state.pointed);
}

function drawGrid(state, context, pointed) {
  state.pictures.forEach((picture, block) => drawBlock(state, context, picture, block, pointed));
  if (pointed) outlineTiles(state, context, pointed, state.theme.muted);
  if (state.selected) outlineTiles(state, context, state.selected, state.theme.accent);
}

function drawBlock(state, context, picture, block, pointed) {
  const { ratio, left, top, blockPitch } = state.layout;
  const [width, height] = [picture.width / ratio, picture.height / ratio];
  context.save();
  context.translate((block * blockPitch) / ratio, 0);
  context.fillStyle = cssColour(state.theme.panel);
  context.beginPath();
  context.roundRect(left, top, width, height, 4);
  context.fill();
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, left, top, width, height);
  drawNumbers(state, context, block, pointed);
  context.restore();
}

// The outline stays inside the gap, with air to the tile: first and last columns hold attention sinks.
function outlineTiles(state, context, [layer, head], colour) {
  const { ratio, left, top, gap, width, height, pitchX, pitchY, blockPitch } = state.layout;
  const { block, row } = rowOf(state.layout, layer);
  const air = Math.max(1, Math.round(ratio * 0.75));
  const wanted = gap > 4 * air ? gap - 2 * air : gap - air;
  const thickness = clamp(wanted, 1, Math.round(2.5 * ratio * state.theme.outline));
  const inset = air + thickness / 2;
  const [first, count] = head === null ? [0, state.header.heads] : [head, 1];
  context.strokeStyle = cssColour(colour);
  context.lineWidth = thickness / ratio;
  context.beginPath();
  context.roundRect(
    left + (block * blockPitch + gap + first * pitchX - inset) / ratio,
    top + (gap + row * pitchY - inset) / ratio,
    ((count - 1) * pitchX + width + 2 * inset) / ratio,
    (height + 2 * inset) / ratio,
    2,
  );
  context.stroke();
}

// Heads above and layers beside a block, whose corner the context has as its own.
function drawNumbers(state, context, block, pointed) {
  const { layout, theme, selected } = state;
  const { layers, heads } = state.header;
  const { ratio, font, left, top, gap, width, height, pitchX, pitchY } = layout;
  const [first, count] = layersOf(layout, layers, block);
  context.direction = "ltr";
  context.textBaseline = "middle";
  const [openLayer, openHead] = selected ?? [null, null];
  const [layer, head] = pointed ?? [null, null];
  const here = (inLayer, number) => (inLayer !== null && rowOf(layout, inLayer).block === block ? number : null);
  const across = measuring(`bold ${font}px ${theme.font}`).measureText(String(heads - 1)).width + font * 0.5;
  drawNumberLine(state, context, [0, heads], [here(openLayer, openHead), here(layer, head)],
    across / (pitchX / ratio), (index, text) => {
      context.textAlign = "center";
      context.fillText(text, left + (gap + index * pitchX + width / 2) / ratio, top - font * 0.75);
    });
  drawNumberLine(state, context, [first, count], [here(openLayer, openLayer), here(layer, layer)],
    (font * 1.2) / (pitchY / ratio), (index, text) => {
      context.textAlign = "right";
      context.fillText(text, left - font * 0.5, top + (gap + (index - first) * pitchY + height / 2) / ratio);
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

// Numbers thin out in equal steps where tiles are smaller than the digits. The open one is always among them, and the
// pointed one takes the place of those that it would touch.
function drawNumberLine({ layout, theme }, context, [first, count], [open, pointed], room, place) {
  const step = Math.max(1, Math.ceil(room));
  const start = (open ?? first) % step;
  for (let index = first; index < first + count; index += 1) {
    const isPointed = index === pointed;
    const isCrowded = pointed !== null && Math.abs(index - pointed) < step;
    if (!isPointed && (index % step !== start || isCrowded)) continue;
    const emphasised = isPointed || (pointed === null && index === open);
    context.font = `${emphasised ? "bold " : ""}${layout.font}px ${theme.font}`;
    context.fillStyle = cssColour(emphasised ? theme.text : theme.muted);
    place(index, String(index));
  }
}

// Laid out for paper, whatever room the card has.
function overviewSnapshot(state) {
  const layout = layoutOverview(state, PAPER, 2);
  const plot = { ...state, layout, pictures: renderTiles(state, layout) };
  return {
    width: layout.totalWidth,
    height: layout.totalHeight,
    legend: { ...state.header.legend, masked: state.anyMasked && "plain" },
    draw: (context) => drawGrid(plot, context, null),
  };
}
