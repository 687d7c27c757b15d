// The picture of all heads, on the screen and in exports: tiles, numbers and outlines.
// Plain functions without import or export: Python puts this text in front of overview.js.

function drawOverview(state) {
  state.context.clearRect(0, 0, state.canvas.width, state.canvas.height);
  drawGrid(state, state.context, state.pointed);
}

function drawGrid(state, context, pointed) {
  const { layout, theme, picture } = state;
  const { ratio, left, top } = layout;
  const [width, height] = [picture.width / ratio, picture.height / ratio];
  context.fillStyle = cssColour(theme.panel);
  context.beginPath();
  context.roundRect(left, top, width, height, 4);
  context.fill();
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, left, top, width, height);
  drawNumbers(state, context, pointed);
  if (pointed) outlineTiles(state, context, pointed, theme.muted);
  if (state.selected) outlineTiles(state, context, state.selected, theme.accent);
}

// The outline stays inside the gap, with air to the tile: first and last columns hold attention sinks.
function outlineTiles(state, context, [layer, head], colour) {
  const { ratio, left, top, gap, width, height, pitchX, pitchY } = state.layout;
  const air = Math.max(1, Math.round(ratio * 0.75));
  const wanted = gap > 4 * air ? gap - 2 * air : gap - air;
  const thickness = clamp(wanted, 1, Math.round(2.5 * ratio * state.theme.outline));
  const inset = air + thickness / 2;
  const [first, count] = head === null ? [0, state.header.heads] : [head, 1];
  context.strokeStyle = cssColour(colour);
  context.lineWidth = thickness / ratio;
  context.beginPath();
  context.roundRect(
    left + (gap + first * pitchX - inset) / ratio,
    top + (gap + layer * pitchY - inset) / ratio,
    ((count - 1) * pitchX + width + 2 * inset) / ratio,
    (height + 2 * inset) / ratio,
    2,
  );
  context.stroke();
}

function drawNumbers(state, context, pointed) {
  const { layout, theme } = state;
  const { layers, heads } = state.header;
  const { ratio, font, left, top, gap, width, height, pitchX, pitchY } = layout;
  const [layer, head] = pointed ?? state.selected ?? [null, null];
  context.direction = "ltr";
  context.textBaseline = "middle";
  drawNumberLine(state, context, heads, head, pitchX / ratio, font * 1.9, (index, text) => {
    context.textAlign = "center";
    context.fillText(text, left + (gap + index * pitchX + width / 2) / ratio, top - font * 0.75);
  });
  drawNumberLine(state, context, layers, layer, pitchY / ratio, font * 1.2, (index, text) => {
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
function drawNumberLine({ layout, theme }, context, count, current, pitch, room, place) {
  const step = Math.ceil(room / pitch);
  for (let index = 0; index < count; index += 1) {
    const emphasised = index === current;
    const crowded = current !== null && Math.abs(index - current) < step;
    if (!emphasised && (index % step !== 0 || crowded)) continue;
    context.font = `${emphasised ? "bold " : ""}${layout.font}px ${theme.font}`;
    context.fillStyle = cssColour(emphasised ? theme.text : theme.muted);
    place(index, String(index));
  }
}

// The tiles as they stand on the screen, so that a picture of 1,024 heads stays as small as the screen's.
function overviewSnapshot(state) {
  return {
    width: state.layout.totalWidth,
    height: state.layout.totalHeight,
    legend: { ...state.header.legend, masked: state.anyMasked && "plain" },
    draw: (context) => drawGrid(state, context, null),
  };
}
