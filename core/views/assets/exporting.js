// Exporting a figure from the browser: title, picture, legend and caption as one SVG or PNG.
// Plain functions without import or export: Python puts this text in front of each component.

const PAPER_MARGIN = 20;
const NARROWEST_PAPER = 420;
const NARROWEST_PNG = 1600;
const LARGEST_SIDE = 16384;
const LARGEST_AREA = 1e8;

// Called after each paint. snapshot() -> {width, height, legend, remark, draw(context)} in CSS pixels, the whole
// picture; draw may use of a canvas context only what SvgContext has. remark: what the caption adds about the picture as
// it is now.
function publishFigure(figure, snapshot) {
  if (!figure?.name) return;
  const { figures, theme } = commonPlace();
  figures.set(figure.name, { figure, snapshot, theme });
}

function publishedFigure(name) {
  const published = commonPlace().figures.get(name);
  if (!published) throw new Error("This figure is not drawn yet. Wait until it is there, then try again.");
  return published;
}

function figureSvg(name) {
  const published = publishedFigure(name);
  const paper = composePaper(published);
  const context = new SvgContext(paper.width, paper.height, name);
  paper.draw(context);
  return context.document(published.figure.title ?? name);
}

async function figurePng(name) {
  const paper = composePaper(publishedFigure(name));
  const ratio = pngRatio(paper.width, paper.height);
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.floor(paper.width * ratio));
  canvas.height = Math.max(1, Math.floor(paper.height * ratio));
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  paper.draw(context);
  const blob = await new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
  if (!blob) throw new Error("The picture is too large for this browser. Take the SVG picture instead.");
  return blob;
}

// Two picture pixels a CSS pixel; more where the picture would be too narrow for a slide, fewer where a browser could
// not hold it.
function pngRatio(width, height) {
  const wanted = Math.max(2, NARROWEST_PNG / width);
  return Math.min(wanted, LARGEST_SIDE / width, LARGEST_SIDE / height, Math.sqrt(LARGEST_AREA / (width * height)));
}

function composePaper({ figure, snapshot, theme }) {
  const picture = snapshot();
  const rem = remPixels();
  const fonts = {
    title: `600 ${Math.round(1.05 * rem)}px ${theme.font}`,
    small: `${Math.round(0.76 * rem)}px ${theme.font}`,
  };
  const inner = Math.ceil(Math.max(picture.width, NARROWEST_PAPER));
  const lines = (text, font) => wrapText(measuring(font), text ?? "", inner).map((line) => ({ line, font }));
  const title = lines(figure.title, fonts.title);
  const caption = lines([figure.caption, picture.remark].filter(Boolean).join(" · "), fonts.small);
  const legend = picture.legend ? legendHeight(rem) : 0;
  const [titleLine, smallLine] = [1.5 * rem, 1.15 * rem];
  const pictureTop = PAPER_MARGIN + title.length * titleLine + 0.4 * rem;
  const legendTop = pictureTop + picture.height + (legend && 0.8 * rem);
  const captionTop = legendTop + legend + 0.8 * rem;
  return {
    width: inner + 2 * PAPER_MARGIN,
    height: Math.ceil(captionTop + caption.length * smallLine + PAPER_MARGIN),
    draw(context) {
      context.fillStyle = cssColour(theme.background);
      context.fillRect(0, 0, this.width, this.height);
      drawLines(context, title, PAPER_MARGIN, titleLine, cssColour(theme.text));
      context.save();
      context.translate(PAPER_MARGIN, pictureTop);
      picture.draw(context);
      context.restore();
      if (legend) drawLegend(context, picture.legend, theme, fonts.small, rem, legendTop);
      drawLines(context, caption, captionTop, smallLine, cssColour(theme.muted));
    },
  };
}

function drawLines(context, lines, top, height, colour) {
  context.fillStyle = colour;
  context.textBaseline = "middle";
  lines.forEach(({ line, font }, index) => {
    context.font = font;
    context.direction = textDirection(line);
    context.textAlign = "left";
    context.fillText(line, PAPER_MARGIN, top + (index + 0.5) * height);
  });
  context.direction = "ltr";
}

let measuringContext = null;

function measuring(font) {
  measuringContext ??= document.createElement("canvas").getContext("2d");
  measuringContext.font = font;
  return measuringContext;
}

// Breaks at spaces; what is wider than a line by itself, such as text without spaces, between graphemes.
function wrapText(context, text, width) {
  return text.split("\n").filter(Boolean).flatMap((paragraph) => wrapParagraph(context, paragraph, width));
}

function wrapParagraph(context, text, width) {
  const fits = (candidate) => context.measureText(candidate.trimEnd()).width <= width;
  const lines = [];
  let line = "";
  const add = (piece) => {
    if (fits(line + piece)) line += piece;
    else {
      if (line) lines.push(line.trimEnd());
      line = piece;
    }
  };
  for (const word of text.match(/\S+\s*|\s+/g) ?? []) {
    if (fits(word)) add(word);
    else for (const part of splitGraphemes(word)) add(part);
  }
  return [...lines, line.trimEnd()].filter(Boolean);
}

function legendHeight(rem) {
  return 1.9 * rem;
}

// What renderLegend shows beside the figure, drawn.
function drawLegend(context, { ticks, remark, masked }, theme, font, rem, top) {
  const [left, width, height] = [PAPER_MARGIN, 11 * rem, 0.7 * rem];
  const steps = 96;
  for (let step = 0; step < steps; step += 1) {
    context.fillStyle = cssColour(theme.ramp[Math.round((step / (steps - 1)) * TOP_LEVEL)]);
    // Each step reaches under the next, so that no seam shows.
    const start = (step * width) / steps;
    context.fillRect(left + start, top, Math.min(width - start, (2 * width) / steps), height);
  }
  context.strokeStyle = cssColour(theme.border);
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
  context.font = font;
  context.fillStyle = cssColour(theme.muted);
  context.textBaseline = "middle";
  ticks.forEach((tick, index) => {
    const place = ticks.length > 1 ? index / (ticks.length - 1) : 0;
    context.textAlign = place === 0 ? "left" : place === 1 ? "right" : "center";
    context.fillText(tick, left + place * width, top + height + 0.65 * rem);
  });
  context.textAlign = "left";
  let x = left + width + 1.2 * rem;
  if (remark) {
    context.fillText(remark, x, top + height / 2);
    x += context.measureText(remark).width + 1.2 * rem;
  }
  if (!masked) return;
  drawHatch(context, theme, x, top, 1.4 * rem, height, masked !== "plain");
  context.fillStyle = cssColour(theme.muted);
  context.fillText("masked", x + 1.8 * rem, top + height / 2);
}

// The grey of masked cells with its lines as vectors.
function drawHatch(context, theme, left, top, width, height, lines = true) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.fillStyle = cssColour(theme.hatch[0]);
  context.fillRect(left, top, width, height);
  if (lines) {
    context.strokeStyle = cssColour(theme.hatch[1]);
    context.lineWidth = 1;
    context.beginPath();
    for (let start = 4; start < width + height; start += 7) {
      context.moveTo(left + start, top);
      context.lineTo(left + start - height, top + height);
    }
    context.stroke();
  }
  context.restore();
}
