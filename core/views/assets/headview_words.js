// What the head view says: which heads and lines are drawn, in the note below it and in the caption of an export.
// Plain functions without import or export: Python puts this text in front of headview.js.

const HEADS_NAMED = 8;

// "head 1 · the 6 largest weights of each query above 0.02", or "all 14 lines of query 10 “it”" for one token.
function drawnWords(state, place, lines) {
  if (state.shown.size === 0) return "no head is shown";
  return `${headWords(state)} · ${place ? tokenRule(state, place, lines) : restingRule(state)}`;
}

function headWords({ header, shown }) {
  const numbers = [...shown].map((head) => header.heads[head]);
  if (numbers.length === 1) return `head ${numbers[0]}`;
  if (numbers.length === header.heads.length) return `all ${numbers.length} heads`;
  return numbers.length <= HEADS_NAMED ? `heads ${numbers.join(", ")}` : `${numbers.length} heads`;
}

function restingRule({ topK, kept, threshold, shown }) {
  const most = Math.min(topK, kept);
  const whose = shown.size > 1 ? "of each query and head" : "of each query";
  return `the ${most === 1 ? "largest weight" : `${most} largest weights`} ${whose} above ${threshold}`;
}

// The token is isolated, or one of the other direction would turn the words around it.
function tokenRule(state, { side, index }, lines) {
  const { header, dense, kept } = state;
  const label = (side === 0 ? header.row_labels : header.col_labels)[index];
  const name = `${titleOf(state, side)} ${placesOf(state, side)[index]} “\u2068${shorten(label, 24)}\u2069”`;
  const count = lines.length === 1 ? "the only line" : `all ${lines.length.toLocaleString("en")} lines`;
  return `${count} of ${name}${dense ? "" : `, of each query's ${kept} strongest`}`;
}

// Short enough for one line in most cards, so that they do not change their height on hover.
function describeView(state, drawn, wanted) {
  const { shown, locked, pointed, lines, rows, cols } = state;
  if (shown.size === 0) return "No head is shown.";
  const place = focusedPlace(state);
  const parts = [drawnWords(state, place, lines)];
  if (locked && !pointed) parts.push("held, Esc lets go");
  if (place && shown.size > 1) parts.push(`numbers: mean of ${shown.size} heads`);
  if (drawn < wanted) parts.push(`only the strongest ${drawn.toLocaleString("en")} lines drawn`);
  const [first, last] = visibleTokens(state);
  const places = placesOf(state, rows >= cols ? 0 : 1);
  if (last - first + 1 < places.length) {
    const end = Math.min(last, places.length - 1);
    parts.push(`tokens ${places[first]}–${places[end]} of ${places.at(-1) + 1}, scroll for more`);
  }
  return parts.join(" · ");
}

// What the caption of an export adds.
function exportWords(state, lines) {
  const parts = [drawnWords(state, state.locked, lines)];
  if (state.locked && state.shown.size > 1) parts.push(`numbers: mean of ${state.shown.size} heads`);
  if (lines.length > LINE_CAP) parts.push(`only the strongest ${LINE_CAP.toLocaleString("en")} lines drawn`);
  return parts.join(" · ");
}
