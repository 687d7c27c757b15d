// Draws a block of the saliency figure: the names of the methods at the left, and each one's row of coloured words.
// Plain functions without import or export: Python puts this text in front of saliency.js.

// Both arms run over the same lightness: equal magnitudes look equally strong, whatever their sign and without hues.
const ARMS = {
  light: { to: 0.47, positive: [0.2, 279], negative: [0.125, 47] },
  dark: { to: 0.8, positive: [0.13, 285], negative: [0.14, 65] },
};

// 2 × TOP_LEVEL + 1 colours from the largest negative to the largest positive number, 0 in the middle.
function divergingColours({ dark, background }) {
  const { to, positive, negative } = ARMS[dark ? "dark" : "light"];
  const from = dark ? rgbToOklch(background)[0] : LIGHT_RAMP.from;
  const colour = ([chroma, hue], share) => oklchToRgb(from + (to - from) * share, 0.005 + chroma * share, hue);
  return Array.from({ length: 2 * TOP_LEVEL + 1 }, (_, level) => {
    const share = (level - TOP_LEVEL) / TOP_LEVEL;
    return colour(share < 0 ? negative : positive, Math.abs(share));
  });
}

function fillOfScore(state, row, value) {
  const { header, theme, diverging } = state;
  const share = row.top > 0 ? clamp(Math.abs(value) / row.top, 0, 1) : 0;
  const level = share > 0 ? Math.round(TOP_LEVEL * clamp(SCALES[header.scale].position(share), 0, 1)) : 0;
  return row.signed ? diverging[TOP_LEVEL + Math.sign(value) * level] : theme.ramp[level];
}

function drawBlock(context, state, layout, block) {
  state.shown.forEach((row, index) => {
    drawRowName(context, state, layout, row, layout.rows[index]);
    for (const column of block.columns) drawWord(context, state, layout, row, layout.rows[index].top, column);
  });
}

function drawRowName(context, { theme }, { names, fonts, rem, rowHeight }, row, { top, family }) {
  const end = names - WORDS.between * rem;
  context.direction = "ltr";
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.font = fonts.small;
  context.fillStyle = cssColour(theme.muted);
  if (family) context.fillText(family, 0, top - 0.48 * rem);
  const marks = row.state === "pending" ? "…" : marksOf(row);
  context.textAlign = "right";
  context.fillText(marks, end, top + rowHeight / 2);
  const room = end - context.measureText(marks).width - 0.4 * rem;
  context.font = fonts.name;
  context.textAlign = "left";
  context.fillStyle = cssColour(row.state === "pending" ? theme.muted : theme.text);
  context.fillText(clipText(context, row.title, room), 0, top + rowHeight / 2);
}

function drawWord(context, state, { fonts, rem, rowHeight }, row, top, { group, left, width }) {
  const { theme, labels } = state;
  const isPending = row.state === "pending";
  const fill = isPending ? theme.background : fillOfScore(state, row, row.values[group]);
  const [y, height] = [top + 1, rowHeight - 2];
  context.fillStyle = cssColour(fill);
  if (isPending) drawHatch(context, theme, left, y, width, height);
  else {
    context.beginPath();
    context.roundRect(left, y, width, height, 0.2 * rem);
    context.fill();
  }
  const label = labels[group];
  context.font = fonts.word;
  context.direction = textDirection(label);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = cssColour(isPending ? theme.text : inkOn(fill));
  context.fillText(clippedWord(state, context, label, width - 0.4 * rem), left + width / 2, top + rowHeight / 2);
}

// Of a long text each word is drawn once a method: its cut is looked up.
function clippedWord(state, context, label, room) {
  const key = `${context.font} ${room} ${label}`;
  if (!state.clips.has(key)) state.clips.set(key, clipText(context, label, Math.max(1, room)));
  return state.clips.get(key);
}
