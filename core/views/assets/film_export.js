// The frame of the film that is shown, as a picture: the panels side by side, each under its name and error rate.
// Plain functions without import or export: Python puts this text in front of film.js.

const PAPER_PANEL = 460;

function filmSnapshot(state) {
  const { panels, step, theme } = state;
  const layout = layoutFilm(panels, PAPER_PANEL, theme, PAPER_PANEL);
  const { rem } = layout;
  const [head, space] = [2.9 * rem, 1.6 * rem];
  const width = panels.length * (layout.width + space) - space;
  return {
    width: Math.max(0, width),
    height: panels.length ? layout.height + head : 0,
    legend: panels.length ? { ticks: ["0", "0.5", "1"], remark: "attention weight", masked: false } : null,
    remark: pictureWords(state),
    draw(context) {
      panels.forEach((panel, index) => {
        const frame = frameAt(panel, step);
        context.save();
        context.translate(index * (layout.width + space), 0);
        drawPanelName(context, panel, frame, state, layout);
        context.translate(0, head);
        drawPanel(context, panel, frame, layout, theme, null);
        context.restore();
      });
    },
  };
}

function drawPanelName(context, panel, frame, { theme }, { rem, width }) {
  const error = errorWords(panel, frame);
  const facts = [panelStep(panel, frame), error && `error rate ${error}`, panel.about].filter(Boolean).join(" · ");
  const lines = [
    [`600 ${0.95 * rem}px ${theme.font}`, theme.text, panel.label],
    [`${0.85 * rem}px ${theme.font}`, theme.muted, facts],
  ];
  context.fillStyle = panel.colour;
  context.fillRect(0, 0.15 * rem, 0.25 * rem, 2.2 * rem);
  context.textAlign = "left";
  context.textBaseline = "middle";
  lines.forEach(([font, ink, text], line) => {
    context.font = font;
    context.fillStyle = cssColour(ink);
    context.direction = "ltr";
    context.fillText(clipText(context, text, width - rem), 0.7 * rem, (0.65 + 1.25 * line) * rem);
  });
}
