// The shown step as a picture: source, output so far, and next tokens.
// Plain functions without import or export: Python puts this text in front of steps.js.

const PAPER_STEPS = 640;

function stepsSnapshot(state) {
  const { header, theme, step, weights } = state;
  const rem = remPixels();
  const place = (step ?? 1) - 1;
  const fonts = { word: `${1.05 * rem}px ${theme.font}`, small: `${0.76 * rem}px ${theme.font}` };
  const source = flowBoxes(header.source, fonts.word, rem, weights ? 3 * rem : 2 * rem);
  const output = flowBoxes(header.tokens.slice(0, place + 1), fonts.word, rem, 2 * rem);
  const rows = step === null ? [] : nextRows(header, place);
  const line = 1.6 * rem;
  const drawRows = (context) => rows.forEach((row, at) => drawNextRow(context, state, row, place, at * line, rem));
  const parts = [
    [source.height, (context) => drawSourceBoxes(context, state, place, source, fonts, rem)],
    [output.height, (context) => drawOutputBoxes(context, state, place, output, fonts, rem)],
    [rows.length * line, drawRows],
  ];
  const titles = ["Source", "Output so far", "Likeliest next tokens"];
  const heading = 1.5 * rem;
  return {
    width: PAPER_STEPS,
    height: parts.reduce((sum, [height]) => sum + height + heading + 0.8 * rem, 0),
    legend: weights ? stepsLegend(header) : null,
    remark: step === null ? "" : `shown: step ${stepText(step)} of ${stepText(state.steps.length)}`,
    draw(context) {
      let top = 0;
      parts.forEach(([height, draw], index) => {
        context.save();
        context.translate(0, top);
        writeText(context, titles[index], 0, heading / 2 - 0.2 * rem, fonts.small, theme.muted);
        context.translate(0, heading);
        draw(context);
        context.restore();
        top += height + heading + 0.8 * rem;
      });
    },
  };
}

// Boxes of words in lines: {word, x, y, width} each; a word longer than a line is cut.
function flowBoxes(words, font, rem, lineHeight) {
  const context = measuring(font);
  const isRight = textDirection(words.join("")) === "rtl";
  let [x, y] = [0, 0];
  const boxes = words.map((full) => {
    const word = clipText(context, full, PAPER_STEPS - rem);
    const width = Math.max(context.measureText(word).width + 0.9 * rem, 2.6 * rem);
    if (x > 0 && x + width > PAPER_STEPS) [x, y] = [0, y + lineHeight];
    const box = { word, x, y, width };
    x += width + 0.35 * rem;
    return box;
  });
  const turned = isRight ? boxes.map((box) => ({ ...box, x: PAPER_STEPS - box.x - box.width })) : boxes;
  return { boxes: turned, height: words.length ? y + lineHeight : 0 };
}

function drawSourceBoxes(context, state, place, { boxes }, fonts, rem) {
  const { theme, weights } = state;
  boxes.forEach(({ word, x, y, width }, at) => {
    const fill = weights ? fillOf(state, place, at) : theme.panel;
    const height = weights ? 2.6 * rem : 1.7 * rem;
    drawBox(context, x, y, width, height, fill, contrast(fill, theme.background) < 1.3 ? theme.border : fill, rem);
    const ink = weights ? inkOn(fill) : theme.text;
    writeText(context, word, x + width / 2, y + 0.9 * rem, fonts.word, ink, "center");
    if (!weights) return;
    writeText(context, shortWeight(weightOf(state, place, at)), x + width / 2, y + 2 * rem, fonts.small, ink, "center");
  });
}

function drawOutputBoxes(context, { theme, header }, place, { boxes }, fonts, rem) {
  boxes.forEach(({ word, x, y, width }, at) => {
    const isCurrent = at === place;
    const ink = isCurrent ? theme.primary : theme.text;
    if (isCurrent) drawBox(context, x, y, width, 1.7 * rem, theme.background, theme.primary, rem);
    writeText(context, word, x + width / 2, y + 0.9 * rem, fonts.word, ink, "center");
    if (!header.own.includes(at)) return;
    context.fillStyle = cssColour(theme.muted);
    context.fillRect(x + 0.4 * rem, y + 1.5 * rem, width - 0.8 * rem, 1.5);
  });
}

function drawNextRow(context, { theme, header }, { label, probability, came }, place, top, rem) {
  const [font, middle] = [`${came ? "600 " : ""}${0.9 * rem}px ${theme.font}`, top + 0.7 * rem];
  const [barLeft, barWidth] = [10 * rem, PAPER_STEPS - 22 * rem];
  writeText(context, clipText(measuring(font), label, 9.5 * rem), 0, middle, font, theme.text);
  context.fillStyle = cssColour(theme.panel);
  context.fillRect(barLeft, top + 0.35 * rem, barWidth, 0.7 * rem);
  context.fillStyle = cssColour(came ? theme.primary : theme.muted);
  context.fillRect(barLeft, top + 0.35 * rem, Math.max(1, barWidth * barShare(probability)), 0.7 * rem);
  writeText(context, percentText(probability), barLeft + barWidth + 4.2 * rem, middle, font, theme.text, "right");
  if (came) writeText(context, markOf(header, place), barLeft + barWidth + 4.8 * rem, middle, font, theme.primary);
}

function drawBox(context, x, y, width, height, fill, line, rem) {
  context.beginPath();
  context.roundRect(x + 0.5, y + 0.5, width - 1, height, 0.3 * rem);
  context.fillStyle = cssColour(fill);
  context.fill();
  context.strokeStyle = cssColour(line);
  context.lineWidth = 1;
  context.stroke();
}

function writeText(context, text, x, y, font, ink, align = "left") {
  context.font = font;
  context.fillStyle = cssColour(ink);
  context.direction = textDirection(text);
  context.textAlign = align;
  context.textBaseline = "middle";
  context.fillText(text, x, y);
  context.direction = "ltr";
}
