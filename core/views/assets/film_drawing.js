// The picture of a panel: cells in the colours of the ramp, gold links outlined, labels on both sides.
// Plain functions without import or export: Python puts this text in front of film.js.

// In rem; a cell is at most `widest` times as wide as high, where the window is too low for squares.
const CELL = { largest: 3.6, smallest: 0.3, gapFrom: 0.7, dotFrom: 0.8, widest: 1.9 };
// Of a font: the height of a line of stacked signs.
const STACKED_LINE = 1.1;
// Legend and frame below the picture, in rem; and what the picture has in any case.
const BELOW_FILM_REM = 4.6;
const SHORTEST_FILM_REM = 15;
// Bright gold on a dark line: one of the two stands out on every colour of the ramp, light and dark.
const GOLD = { line: [255, 190, 40], under: [38, 24, 0] };

// One layout for all panels, so that they can be compared cell by cell. width and room: of one panel, which fills the
// width and is not higher than the room. wide and high: of a cell.
function layoutFilm(panels, width, theme, room) {
  const [rem, ratio] = [remPixels(), devicePixelRatio || 1];
  const most = (count) => Math.max(1, ...panels.map(count));
  const [rows, cols] = [most((panel) => panel.rows.length), most((panel) => panel.cols.length)];
  const [smallest, largest] = [CELL.smallest * rem, CELL.largest * rem];
  const guess = clamp(Math.min((width - 5 * rem) / cols, (room - 2 * rem) / rows), smallest, largest);
  // Four letters of a font for code lie flat over their column.
  const font = Math.round(clamp(0.38 * guess, 0.72 * rem, 1.2 * rem));
  const small = Math.round(clamp(0.8 * font, 0.72 * rem, font));
  const context = measuring(`${font}px ${theme.codeFont}`);
  const longest = (labels) => Math.max(0, ...labels.map((label) => context.measureText(label.slice(0, 300)).width));
  const names = longest(panels.flatMap((panel) => panel.rows)) + font;
  const left = Math.ceil(clamp(names, 5 * small, Math.max(5 * small, Math.min(10 * rem, 0.27 * width))));
  const snapped = (size) => Math.max(snapCell(size * ratio, 0.25) / ratio, smallest);
  const widest = (width - left - 2) / cols;
  const labels = panels.flatMap((panel) => panel.cols);
  let [top, high, wide] = [Math.ceil(Math.max(1.7 * font, 2.7 * small)), 0, 0];
  // Turned labels need room above, which makes cells smaller, so that more labels may have to be turned.
  for (let isSettled = false; !isSettled;) {
    high = snapped(Math.min(widest, (room - top - 2) / rows, largest));
    wide = snapped(Math.max(high, Math.min(widest, CELL.widest * high)));
    const turned = labels.filter((label) => !liesFlat(context, label, wide));
    const length = Math.max(0, ...turned.map((label) => (
      labelLength(context, label, standsUpright(label), STACKED_LINE * font))));
    const wanted = Math.ceil(Math.min(length + font, clamp(0.35 * room, 7 * rem, 12 * rem)));
    isSettled = wanted <= top;
    top = Math.max(top, wanted);
  }
  const [mapWidth, mapHeight] = [cols * wide + 2, rows * high + 2];
  return { rem, ratio, font, small, left, top, wide, high, width: left + mapWidth, height: top + mapHeight };
}

// What is left of the window below an element, in CSS pixels, when the page is at its top.
function roomBelow(element) {
  let above = element.getBoundingClientRect().top;
  for (let node = element; node; node = node.parentNode ?? node.host) above += node.scrollTop ?? 0;
  return innerHeight - above;
}

// A label that has room in its column, and a space to the next one, is not turned.
function liesFlat(context, label, cell) {
  const space = label.length > 1 ? context.measureText("n").width / 2 : 0;
  return label.length < 20 && context.measureText(label).width + space <= cell;
}

function drawPanel(context, panel, frame, layout, theme, pointed) {
  const { left, top, wide, high, rem } = layout;
  context.fillStyle = cssColour(theme.background);
  context.fillRect(0, 0, layout.width, layout.height);
  drawTitles(context, layout, theme);
  const gap = Math.min(wide, high) >= CELL.gapFrom * rem ? 1 : 0;
  const fills = panel.rows.map((_, row) => panel.cols.map((__, col) => (
    frame < 0 ? theme.panel : theme.ramp[Math.round(weightAt(panel, frame, row, col) * TOP_LEVEL)])));
  context.fillStyle = cssColour(theme.border);
  context.fillRect(left - 1, top - 1, panel.cols.length * wide + 2 - gap, panel.rows.length * high + 2 - gap);
  fills.forEach((line, row) => line.forEach((fill, col) => {
    context.fillStyle = cssColour(fill);
    context.fillRect(left + col * wide, top + row * high, wide - gap, high - gap);
  }));
  for (const [link, kind] of panel.goldOf) drawGold(context, layout, link.split(",").map(Number), kind, gap);
  if (frame >= 0) drawLargest(context, panel, frame, layout, fills, gap);
  if (pointed) drawPointed(context, layout, theme, pointed, gap);
  drawFilmLabels(context, panel, layout, theme, pointed);
}

// A dot in the largest weight of each row that has gold links: what the error rate counts.
function drawLargest(context, panel, frame, { left, top, wide, high, rem }, fills, gap) {
  if (Math.min(wide, high) < CELL.dotFrom * rem) return;
  const radius = clamp(0.1 * high, 1.5, 0.22 * rem);
  for (const row of panel.goldRows) {
    const col = largestCol(panel, frame, row);
    const [x, y] = [left + (col + 0.5) * wide - gap / 2, top + (row + 0.5) * high - gap / 2];
    context.fillStyle = cssColour(inkOn(fills[row][col]));
    context.beginPath();
    context.roundRect(x - radius, y - radius, 2 * radius, 2 * radius, radius);
    context.fill();
  }
}

function drawGold(context, { left, top, wide, high, rem }, [row, col], kind, gap) {
  const line = clamp(0.065 * high, 1.2, 0.2 * rem);
  const inset = line * 0.9;
  const box = [left + col * wide + inset, top + row * high + inset, wide - gap - 2 * inset, high - gap - 2 * inset];
  for (const [ink, width] of [[GOLD.under, line * 1.8], [GOLD.line, line]]) {
    context.setLineDash(kind === "sure" ? [] : [high * 0.16, high * 0.1]);
    context.strokeStyle = cssColour(ink);
    context.lineWidth = width;
    context.strokeRect(...box);
  }
  context.setLineDash([]);
}

function drawPointed(context, { left, top, wide, high }, theme, [row, col], gap) {
  for (const [ink, width] of [[theme.background, 5], [theme.text, 2.2]]) {
    context.strokeStyle = cssColour(ink);
    context.lineWidth = width * theme.outline;
    context.strokeRect(left + col * wide - gap / 2, top + row * high - gap / 2, wide, high);
  }
}

function drawTitles(context, { left, top, font, small }, theme) {
  context.font = `${small}px ${theme.font}`;
  context.fillStyle = cssColour(theme.muted);
  context.direction = "ltr";
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillText("source →", left - 0.5 * font, top - 2.05 * small);
  context.fillText("output ↓", left - 0.5 * font, top - 0.8 * small);
}

// Of tiny cells, every so many have a label; the pointed one has its own in place of its neighbours'.
function drawFilmLabels(context, panel, layout, theme, pointed) {
  const { left, top, wide, high, font } = layout;
  const own = pointed ?? [];
  const hasLabel = (index, chosen, size) => {
    const step = Math.max(1, Math.ceil((1.05 * font) / size));
    return index === chosen
      || (index % step === 0 && (step === 1 || chosen === undefined || Math.abs(index - chosen) >= step));
  };
  panel.rows.forEach((label, row) => {
    if (!hasLabel(row, own[0], high)) return;
    context.save();
    context.translate(left - 0.5 * font, top + (row + 0.5) * high);
    writeLabel(context, label, layout, theme, row === own[0], "right", left - 0.7 * font);
    context.restore();
  });
  panel.cols.forEach((label, col) => {
    if (!hasLabel(col, own[1], wide)) return;
    context.save();
    context.font = `${font}px ${theme.codeFont}`;
    const isFlat = liesFlat(context, label, wide);
    context.translate(left + (col + 0.5) * wide, top - (isFlat ? 0.85 : 0.45) * font);
    if (!isFlat && standsUpright(label)) writeStacked(context, label, layout, theme, col === own[1]);
    else {
      if (!isFlat) context.rotate(-Math.PI / 2);
      const [align, room] = isFlat ? ["center", 2 * wide] : ["left", top - 0.6 * font];
      writeLabel(context, label, layout, theme, col === own[1], align, room);
    }
    context.restore();
  });
}

// Scripts that are read from top to bottom are not turned.
function writeStacked(context, label, { font, top }, theme, strong) {
  context.font = `${strong ? "bold " : ""}${font}px ${theme.codeFont}`;
  context.fillStyle = cssColour(theme.text);
  drawStackedLabel(context, label, "", top - 0.5 * font, STACKED_LINE * font);
}

function writeLabel(context, label, { font }, theme, strong, align, width) {
  context.font = `${strong ? "bold " : ""}${font}px ${theme.codeFont}`;
  context.fillStyle = cssColour(theme.text);
  drawLabel(context, label, "", align, width);
}
