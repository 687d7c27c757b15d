// The alignment figure as a picture: the panels side by side, each under its name and translation.
// Plain functions without import or export: Python puts this text in front of alignment.js.

const PAPER_MAP = 460;

function alignmentSnapshot(state) {
  const { every, panels, header, theme } = state;
  const layout = layoutFilm(panels, PAPER_MAP, theme, PAPER_MAP);
  const { rem } = layout;
  const space = 1.8 * rem;
  const width = panels.length ? Math.max(layout.width, 16 * rem) : 24 * rem;
  const blocks = every.map((panel) => panelBlock(panel, layout, theme, width));
  const head = Math.max(0, ...blocks.map((block) => block.headHeight));
  const foot = Math.max(0, ...blocks.map((block) => block.footHeight));
  const kinds = linkKinds(panels);
  return {
    width: Math.max(0, blocks.length * (width + space) - space),
    height: head + (panels.length ? layout.height : 0) + foot,
    legend: panels.length ? alignmentLegend(header) : null,
    remark: [kinds.has("sure") && "outlined: sure gold link", kinds.has("possible") && "dashed: possible gold link",
      kinds.size && "dot: largest weight of its row"].filter(Boolean).join(" · "),
    draw(context) {
      blocks.forEach((block, index) => {
        context.save();
        context.translate(index * (width + space), 0);
        drawTextLines(context, block.head, 0, width);
        context.translate(0, head);
        if (block.panel.matrix) {
          drawPanel(context, block.panel, 0, layout, theme, null);
          drawTextLines(context, block.foot, layout.height, width);
        } else drawEmpty(context, block, layout, theme, width, panels.length > 0);
        context.restore();
      });
    },
  };
}

// The place of a map that there is not, with the reason in it.
function drawEmpty(context, { foot }, { rem, height }, theme, width, hasMaps) {
  context.fillStyle = cssColour(theme.panel);
  if (hasMaps) context.fillRect(0, 0, width, height);
  context.translate(rem, hasMaps ? rem : 0);
  drawTextLines(context, foot, 0, width - 2 * rem);
}

// The words above and below a panel's map, wrapped to its width.
function panelBlock(panel, { rem }, theme, width) {
  const lines = (text, size, weight, ink, room = width) => {
    const font = `${weight} ${size * rem}px ${theme.font}`;
    return wrapText(measuring(font), text, room).map((line) => ({ line, font, ink, height: 1.4 * size * rem }));
  };
  const head = [...lines(panel.label, 0.95, "600", theme.text), ...lines(panel.about, 0.8, "400", theme.muted),
    ...lines(panel.translation, 1, "400", theme.text)];
  const [noteInk, noteRoom] = panel.matrix ? [theme.muted, width] : [theme.text, width - 2 * rem];
  const foot = [...lines(panel.note, 0.85, "400", noteInk, noteRoom),
    ...lines(scoreWords(panel), 0.85, "400", theme.text)];
  const heightOf = (parts) => parts.reduce((sum, { height }) => sum + height, 0);
  return { panel, head, foot, headHeight: heightOf(head) + 0.8 * rem, footHeight: heightOf(foot) + 0.6 * rem };
}

function drawTextLines(context, lines, top, width) {
  let y = top;
  context.textBaseline = "middle";
  for (const { line, font, ink, height } of lines) {
    const isRight = textDirection(line) === "rtl";
    context.font = font;
    context.fillStyle = cssColour(ink);
    context.direction = isRight ? "rtl" : "ltr";
    context.textAlign = isRight ? "right" : "left";
    context.fillText(line, isRight ? width : 0, y + height / 2);
    y += height;
  }
  context.direction = "ltr";
}
