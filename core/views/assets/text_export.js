// The token view as an export draws it: running text set by the canvas, line by line, over coloured backgrounds.
// Plain functions without import or export: Python puts this text in front of text.js.

const EXPORT_WIDTH_REM = 44;
const TALLEST_TEXT = 15000;

function textSnapshot(state) {
  const rem = remPixels();
  const sheet = { rem, width: EXPORT_WIDTH_REM * rem, font: 1.05 * rem, line: 1.9 * rem, theme: state.theme };
  let { pieces, height } = setText(state, sheet);
  if (height > TALLEST_TEXT) {
    const denser = (1.05 * height) / TALLEST_TEXT;
    sheet.width *= denser ** 0.5;
    sheet.font *= denser ** -0.25;
    sheet.line *= denser ** -0.25;
    ({ pieces, height } = setText(state, sheet));
  }
  const look = state.held ? state.look : { focus: null, weights: null, top: 1 };
  const note = wrapText(measuring(`${0.8 * rem}px ${state.theme.font}`), noteText(state, look), sheet.width);
  const colourOf = (part) => (part.index < 0 ? 0 : levelOf(state, look, part));
  const draw = (context) => {
    for (const piece of pieces) drawTextLine(context, sheet, piece, colourOf, look.focus?.part);
    drawTextNote(context, sheet, note, height);
  };
  const legend = look.weights ? legendOfText(state) : null;
  const remark = state.held ? "" : "no token picked: no colours";
  return { width: sheet.width, height: Math.ceil(height + note.length * 1.2 * rem), draw, legend, remark };
}

function noteText(state, look) {
  if (!look.focus) return "";
  return describeFocus(state).map(({ text, token }) => text ?? isolated(shorten(token, 24))).join("");
}

// A token of the other direction must not turn the words around it.
function isolated(token) {
  return `\u2068${token}\u2069`;
}

function drawTextLine(context, sheet, piece, colourOf, held) {
  context.textBaseline = "middle";
  context.textAlign = "left";
  if (piece.title !== undefined) {
    context.font = `600 ${0.8 * sheet.rem}px ${sheet.theme.font}`;
    context.fillStyle = cssColour(sheet.theme.muted);
    context.direction = textDirection(piece.title);
    context.fillText(piece.title, 0, piece.y);
    return;
  }
  const runs = visualRuns(piece).map((run) => ({ ...run, width: piece.measure(run.from, run.to) }));
  let x = piece.direction === "rtl" ? sheet.width - runs.reduce((sum, { width }) => sum + width, 0) : 0;
  for (const run of runs) {
    if (run.direction === "chip") drawChip(context, sheet, piece, run, x, colourOf, held);
    else drawRun(context, sheet, piece, run, x, colourOf, held);
    x += run.width;
  }
  context.direction = "ltr";
}

// Neighbours of one ink are one text.
function drawInks(context, { text, y }, boxes) {
  for (let at = 0; at < boxes.length;) {
    const ink = cssColour(boxes[at].look.ink);
    let end = at;
    while (end + 1 < boxes.length && cssColour(boxes[end + 1].look.ink) === ink) end += 1;
    context.fillStyle = ink;
    context.fillText(text.slice(boxes[at].from, boxes[end].to), boxes[at].left, y);
    at = end + 1;
  }
}

// Letters of a right-to-left run join across parts: the run is drawn as one text, and once more inside the
// box of each part that needs another ink.
function drawRun(context, sheet, piece, run, x, colourOf, held) {
  const { theme, font } = sheet;
  const boxes = boxesOfRun(piece, run, x, font);
  for (const box of boxes) box.look = partLook(theme, colourOf(box.part), box.part.kind);
  for (const { look, left, top, width, height } of boxes.filter((box) => box.look.fill)) {
    context.fillStyle = cssColour(look.fill);
    context.fillRect(left, top, width, height);
  }
  context.font = `${font}px ${theme.font}`;
  context.direction = run.direction;
  if (run.direction === "rtl") {
    context.fillStyle = cssColour(theme.text);
    context.fillText(piece.text.slice(run.from, run.to), x, piece.y);
  }
  if (run.direction !== "rtl") drawInks(context, piece, boxes);
  else {
    for (const { look, left, top, width, height } of boxes.filter((box) => box.look.ink !== theme.text)) {
      context.save();
      context.beginPath();
      context.rect(left, top, width, height);
      context.clip();
      if (look.fill) {
        context.fillStyle = cssColour(look.fill);
        context.fillRect(left, top, width, height);
      }
      context.fillStyle = cssColour(look.ink);
      context.fillText(piece.text.slice(run.from, run.to), x, piece.y);
      context.restore();
    }
  }
  for (const box of boxes.filter(({ part }) => part === held)) outlineHeld(context, theme, box);
}

// Consecutive characters of one part, and where they stand.
function boxesOfRun({ owners, measure, y }, { from, to, direction, width: whole }, x, font) {
  const boxes = [];
  for (let at = from; at < to;) {
    let end = at + 1;
    while (end < to && owners[end] === owners[at]) end += 1;
    const [before, upTo] = [measure(from, at), measure(from, end)];
    const left = direction === "rtl" ? x + whole - upTo : x + before;
    boxes.push({ part: owners[at], from: at, to: end, left, top: y - font * 0.72, width: upTo - before,
      height: font * 1.44 });
    at = end;
  }
  return boxes;
}

function partLook(theme, level, kind) {
  if (level === MASKED) return { fill: null, ink: theme.muted };
  if (level > 0) return { fill: theme.ramp[level], ink: inkOn(theme.ramp[level]) };
  return { fill: null, ink: kind === "unknown" ? theme.amber : kind === "special" ? theme.muted : theme.text };
}

function drawChip(context, sheet, piece, run, x, colourOf, held) {
  const { theme, rem, font } = sheet;
  const part = piece.owners[run.from];
  const { fill, ink } = partLook(theme, colourOf(part), part.kind);
  const box = { left: x + 0.15 * rem, top: piece.y - font * 0.6, width: run.width - 0.3 * rem, height: font * 1.2 };
  context.beginPath();
  context.roundRect(box.left, box.top, box.width, box.height, 0.25 * rem);
  context.fillStyle = cssColour(fill ?? theme.background);
  context.fill();
  context.strokeStyle = cssColour(theme.border);
  context.lineWidth = 1;
  context.stroke();
  context.font = chipFont(sheet);
  context.fillStyle = cssColour(ink);
  context.direction = "ltr";
  context.fillText(part.text, x + 0.45 * rem, piece.y);
  if (part === held) outlineHeld(context, theme, box);
}

function outlineHeld(context, theme, { left, top, width, height }) {
  context.strokeStyle = cssColour(theme.accent);
  context.lineWidth = 2;
  context.strokeRect(left, top, width, height);
}

function drawTextNote(context, { rem, theme }, lines, top) {
  context.font = `${0.8 * rem}px ${theme.font}`;
  context.fillStyle = cssColour(theme.muted);
  context.textAlign = "left";
  lines.forEach((line, index) => {
    context.direction = textDirection(line);
    context.fillText(line, 0, top + (index + 0.5) * 1.2 * rem);
  });
  context.direction = "ltr";
}
