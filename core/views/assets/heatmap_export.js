// The heatmap on paper: the cells in view at one picture pixel each, every label that can be read as text.
// Plain functions without import or export: Python puts this text in front of heatmap.js.

const PAPER = { side: 620, smallestCell: 7, largestCell: 34, longest: 15_000, smallestFont: 6 };

function heatmapSnapshot(state) {
  const plot = paperPlot(state);
  const { left, top, width, height, font } = plot.layout;
  const steps = labelSteps(plot, font < PAPER.smallestFont ? PAPER.smallestFont * 1.1 : 0.1);
  return {
    ...pictureSize(plot.layout),
    remark: partWords(state),
    legend: legendOf(state, Math.max(steps.row, steps.col)),
    draw(context) {
      if (state.anyMasked) drawHatch(context, plot.theme, left, top, width, height);
      context.imageSmoothingEnabled = false;
      context.drawImage(cellPicture(plot), left, top, width, height);
      drawFrame(plot, context);
      drawRestingLabels(plot, context, steps);
      drawCross(plot, context, state.pinned, plot.theme.accent);
      if (state.window) drawWindow(plot, context);
    },
  };
}

// Cells so large that each has a label of its own, as long as browsers can open the picture.
function paperPlot(state) {
  const { theme, header, view } = state;
  const { rows, cols } = view;
  const most = Math.max(rows, cols);
  const wanted = clamp(PAPER.side / most, PAPER.smallestCell, PAPER.largestCell);
  const cell = Math.min(wanted, PAPER.longest / most);
  const font = clamp(Number((cell * 0.9).toFixed(1)), Math.min(cell * 0.9, PAPER.smallestFont), 12);
  const [width, height] = [cols * cell, rows * cell].map((side) => Math.max(side, Math.min(SMALLEST_SIDE, 34 * most)));
  const drawn = Math.max(font, PAPER.smallestFont);
  // The columns keep their numbers, and what is not turned is told by number.
  const seen = { row_labels: rowNames(header).slice(view.row, view.row + rows),
    col_labels: header.col_labels.slice(view.col, view.col + cols) };
  const { upright, ...room } = roomForLabels(seen, drawn, theme, [drawn * 24, drawn * 20]);
  const turned = Array.from({ length: view.col + cols }, (_, col) => upright[col - view.col]);
  return { ...state, layout: { font: drawn, width, height, ...room, upright: turned }, view: { ...view } };
}

// Which part of the matrix a zoomed picture shows.
function partWords({ header, view, rows, cols }) {
  if (view.rows === rows && view.cols === cols) return "";
  const [queries, keys] = [["row", view.row, view.rows], ["col", view.col, view.cols]].map(([side, first, count]) => {
    const [from, to] = rangePlaces(header, side, first, count);
    return `${manyWord(header[`${side}_title`])} ${from}–${to}`;
  });
  return `part: ${queries}, ${keys}`;
}

// One pixel a cell in the exact colours of the ramp; masked cells are left clear for the hatch behind.
function cellPicture(plot) {
  const { view: { rows, cols }, theme } = plot;
  const levels = viewLevels(plot);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [cols, rows];
  const context = canvas.getContext("2d");
  const image = context.createImageData(cols, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const { ramp } = makePalette(theme, 1);
  for (let at = 0; at < levels.length; at += 1) if (levels[at] !== MASKED) pixels[at] = ramp[levels[at]];
  context.putImageData(image, 0, 0);
  return canvas;
}
