// Sets the token view's text for an export: lines of a fixed width, and stretches of one direction on each line.
// Plain functions without import or export: Python puts this text in front of text.js.

// Stands for a special token in the string of a paragraph.
const CHIP = "\ufffc";
// Never first on a line: marks, parts of one emoji, and closing punctuation of CJK texts.
const CLINGS = /^[\p{M}\u200d\ufe0f\u{1f3fb}-\u{1f3ff}，。、！？：；）」』】]/u;
const CHUNKS = new RegExp(`${CHIP}|\\s+|${UPRIGHT.source.slice(1)}|[^\\s${CHIP}]`, "gu");

// The lines and titles of all blocks, and the height they take.
function setText(state, sheet) {
  const { rem } = sheet;
  const ruler = document.createElement("canvas").getContext("2d");
  let [y, next] = [0, 0];
  const pieces = [];
  for (const block of state.header.blocks) {
    if (state.header.blocks.length > 1) {
      pieces.push({ title: block.title, y: y + 0.6 * rem });
      y += 1.4 * rem;
    }
    for (const paragraph of paragraphsOf(block.parts)) {
      const parts = paragraph.map((part) => (part.index < 0 ? part : state.parts[next++]));
      for (const line of linesOfParagraph(ruler, sheet, parts)) {
        pieces.push({ ...line, y: y + sheet.line / 2 });
        y += sheet.line;
      }
      if (paragraph.length === 0) y += sheet.line / 2;
      y += 0.3 * rem;
    }
    y += 0.5 * rem;
  }
  return { pieces, height: y };
}

// The paragraph as one string, special tokens as one character each, and the part of each character.
function linesOfParagraph(ruler, sheet, parts) {
  const owners = [];
  let text = "";
  for (const part of parts) {
    const shown = part.kind === "special" ? CHIP : part.text.replaceAll(CHIP, "\ufffd");
    for (let i = 0; i < shown.length; i += 1) owners.push(part);
    text += shown;
  }
  const direction = textDirection(text);
  const measure = (from, to) => measureStretch(ruler, sheet, text, owners, from, to);
  return breakLines(text, sheet.width, measure)
    .map(([start, end]) => ({ text, owners, start, end, direction, measure }));
}

function chipFont({ font, theme }) {
  return `${font * 0.76}px ${theme.codeFont}`;
}

function measureStretch(ruler, sheet, text, owners, from, to) {
  let width = 0;
  for (const piece of splitChips(text, from, to)) {
    ruler.font = text[piece.from] === CHIP ? chipFont(sheet) : `${sheet.font}px ${sheet.theme.font}`;
    width += text[piece.from] === CHIP
      ? ruler.measureText(owners[piece.from].text).width + 0.9 * sheet.rem
      : ruler.measureText(text.slice(piece.from, piece.to)).width;
  }
  return width;
}

function splitChips(text, from, to) {
  const pieces = [];
  for (let at = from; at < to;) {
    const chip = text.indexOf(CHIP, at);
    const end = text[at] === CHIP ? at + 1 : chip < 0 || chip > to ? to : chip;
    pieces.push({ from: at, to: end });
    at = end;
  }
  return pieces;
}

// Breaks after spaces and between characters that stand upright; inside a word only where it fills a line alone.
function breakLines(text, room, measure) {
  const lines = [];
  let [start, end, width] = [0, 0, 0];
  const add = (from, to, wide) => {
    const isSpace = text.slice(from, to).trim() === "";
    if (width + wide > room && end > start && !isSpace) {
      lines.push([start, end]);
      [start, width] = [from, 0];
    }
    [end, width] = [to, width + wide];
  };
  for (const [from, to] of breakableChunks(text)) {
    const wide = measure(from, to);
    if (wide <= room) add(from, to, wide);
    else {
      let at = from;
      for (const grapheme of splitGraphemes(text.slice(from, to))) {
        add(at, at + grapheme.length, measure(at, at + grapheme.length));
        at += grapheme.length;
      }
    }
  }
  return end > start ? [...lines, [start, end]] : lines;
}

function breakableChunks(text) {
  const chunks = [];
  let joins = false;
  for (const match of text.matchAll(CHUNKS)) {
    const [piece, at] = [match[0], match.index];
    const isLetter = piece !== CHIP && piece.trim() !== "" && !UPRIGHT.test(piece);
    const clings = at > 0 && (CLINGS.test(piece) || text[at - 1] === "\u200d");
    if (clings || (isLetter && joins)) chunks.at(-1)[1] = at + piece.length;
    else chunks.push([at, at + piece.length]);
    joins = isLetter;
  }
  return chunks;
}

// Stretches of one direction, in the order they stand on the line from left to right. Characters without a
// direction of their own go with their neighbours where these agree, and with the paragraph where not.
function visualRuns({ text, start, end, direction }) {
  const strong = (char) => (RIGHT_TO_LEFT.test(char) ? "rtl" : /[\p{L}\p{N}]/u.test(char) ? "ltr" : null);
  const runs = [];
  for (let at = start; at < end;) {
    const char = String.fromCodePoint(text.codePointAt(at));
    const own = char === CHIP ? "chip" : strong(char);
    const last = runs.at(-1);
    if (own !== "chip" && last && last.own === own) last.to = at + char.length;
    else runs.push({ from: at, to: at + char.length, own });
    at += char.length;
  }
  const resolved = runs.map((run, i) => {
    const [before, after] = [runs[i - 1]?.own, runs[i + 1]?.own];
    return { ...run, direction: run.own ?? (before === after && before !== "chip" ? before : direction) ?? direction };
  });
  const joined = resolved.reduce((list, run) => {
    const last = list.at(-1);
    if (last && last.direction === run.direction && run.direction !== "chip") last.to = run.to;
    else list.push({ ...run });
    return list;
  }, []);
  return direction === "rtl" ? joined.reverse() : joined;
}
