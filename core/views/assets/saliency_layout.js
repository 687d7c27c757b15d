// Where the words of the saliency figure stand: columns as wide as their words, wrapped into blocks of which each has
// the rows of all methods, so that one word stands under itself.
// Plain functions without import or export: Python puts this text in front of saliency.js.

// All in rem.
const WORDS = { font: 0.86, small: 0.7, row: 1.55, family: 1.15, gap: 1.3, pad: 0.4, widest: 11, narrowest: 1.3, space: 0.12,
  names: 15, between: 0.9 };
const MARKS = [["signed", "±"], ["class_specific", "c"], ["additive", "Σ"]];

function wordsFonts({ font }, rem) {
  return {
    word: `${WORDS.font * rem}px ${font}`,
    name: `600 ${0.8 * rem}px ${font}`,
    small: `${WORDS.small * rem}px ${font}`,
  };
}

// Columns run from the right where most of the text does.
function layoutWords({ labels, shown, theme }, width) {
  const rem = remPixels();
  const fonts = wordsFonts(theme, rem);
  const names = namesWidth(shown, fonts, rem, width);
  const widths = columnWidths(labels, fonts.word, rem, width - names);
  const rtl = textDirection(labels.join(" ")) === "rtl";
  const rows = placeRows(shown, rem);
  const height = rows.length ? rows.at(-1).top + WORDS.row * rem : 0;
  const blocks = wrapColumns(widths, width - names, WORDS.space * rem);
  for (const block of blocks) {
    for (const column of block.columns) {
      column.left = names + (rtl ? width - names - column.at - column.width : column.at);
    }
  }
  const place = blocks.flatMap(({ columns }, block) => columns.map((column) => ({ block, ...column })));
  return { rem, fonts, names, width, rtl, rows, height, blocks, place, rowHeight: WORDS.row * rem };
}

function namesWidth(shown, fonts, rem, width) {
  const nameRuler = measuring(fonts.name);
  const title = Math.max(0, ...shown.map(({ title }) => nameRuler.measureText(title).width));
  const marks = Math.max(0, ...shown.map((row) => measuring(fonts.small).measureText(marksOf(row)).width));
  return Math.min(title + marks + (WORDS.between + 0.7) * rem, WORDS.names * rem, 0.38 * width);
}

function marksOf(row) {
  return MARKS.filter(([name]) => row[name]).map(([, mark]) => mark).join(" ");
}

function columnWidths(labels, font, rem, room) {
  const ruler = measuring(font);
  const widest = Math.min(WORDS.widest * rem, room);
  const least = Math.min(WORDS.narrowest * rem, widest);
  return labels.map((label) => (
    Math.ceil(clamp(ruler.measureText(label.slice(0, 80)).width + 2 * WORDS.pad * rem, least, widest))));
}

function wrapColumns(widths, room, space) {
  const blocks = [{ columns: [] }];
  let at = 0;
  widths.forEach((width, group) => {
    if (at > 0 && at + width > room) {
      blocks.push({ columns: [] });
      at = 0;
    }
    blocks.at(-1).columns.push({ group, at, width });
    at += width + space;
  });
  return blocks;
}

// A family's name stands over the first of its rows that follow each other.
function placeRows(shown, rem) {
  let top = 0;
  return shown.map((row, index) => {
    const opens = index === 0 || shown[index - 1].family !== row.family;
    if (opens) top += (WORDS.family + (index ? 0.25 : 0)) * rem;
    const placed = { top, family: opens ? row.family : "" };
    top += WORDS.row * rem;
    return placed;
  });
}
