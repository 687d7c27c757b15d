// The saliency figure as a picture: all blocks one below the other, what was refused, and the legends.
// Plain functions without import or export: Python puts this text in front of saliency.js.

const PAPER_WORDS = 62;

function wordsSnapshot(state) {
  const { theme, refused, labels, root } = state;
  const rem = remPixels();
  const most = labels.length > 60 ? PAPER_WORDS * rem : root.clientWidth;
  const layout = layoutWords(state, Math.max(most, 24 * rem));
  const used = Math.max(layout.names, ...layout.blocks.flatMap(({ columns }) => columns.map((c) => c.at + c.width + layout.names)));
  const width = layout.rtl ? layout.width : Math.ceil(used);
  const step = layout.height + WORDS.gap * rem;
  const lines = refused.flatMap(({ title, refused: why }) => (
    wrapText(measuring(layout.fonts.small), `${title}: ${why}`, Math.max(width, 24 * rem))));
  const legends = wordsLegends(state);
  const legendTop = layout.blocks.length * step + 1.1 * rem * lines.length + (lines.length ? 0.6 * rem : 0);
  return {
    width,
    height: legendTop + 2.4 * rem * legends.length,
    legend: null,
    remark: marksRemark(state),
    draw(context) {
      layout.blocks.forEach((block, index) => {
        context.save();
        context.translate(0, index * step);
        drawBlock(context, state, layout, block);
        drawPickedMark(context, state, layout, index);
        context.restore();
      });
      context.font = layout.fonts.small;
      context.textAlign = "left";
      context.direction = "ltr";
      context.fillStyle = cssColour(theme.muted);
      lines.forEach((line, index) => context.fillText(line, 0, layout.blocks.length * step + (index + 0.5) * 1.1 * rem));
      legends.forEach((legend, index) => {
        context.save();
        // drawLegend starts at the margin of the paper, and so does this picture.
        context.translate(-PAPER_MARGIN, 0);
        drawLegend(context, legend, { ...theme, ramp: legend.ramp }, layout.fonts.small, rem, legendTop + index * 2.4 * rem);
        context.restore();
      });
    },
  };
}

function drawPickedMark(context, { picked, theme }, layout, block) {
  const place = picked === null ? null : layout.place[picked];
  if (place?.block !== block || !layout.rows.length) return;
  context.strokeStyle = cssColour(theme.accent);
  context.lineWidth = 2;
  const top = layout.rows[0].top;
  context.strokeRect(place.left - 1, top - 1, place.width + 2, layout.height - top + 2);
}
