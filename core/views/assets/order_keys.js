// The keyboard on the words: arrow keys go along them, with Shift or Alt they move the word, as they do after Enter.
// Plain functions without import or export: Python puts this text in front of order.js.

function onOrderKey(state, event) {
  const chip = event.target.closest?.(".chip");
  if (!chip || event.ctrlKey || event.metaKey) return;
  const { order } = state;
  const word = Number(chip.dataset.word);
  const place = order.indexOf(word);
  const isPick = event.key === "Enter" || event.key === " ";
  const target = isPick ? undefined : targetOf(state, place, event.key);
  if (target === undefined && !isPick && event.key !== "Escape") return;
  event.preventDefault();
  event.stopPropagation();
  if (event.key === "Escape") leaveAll(state);
  else if (isPick) liftOrDrop(state, word);
  else if (state.lifted) carry(state, word, place, target);
  else if (event.shiftKey || event.altKey) step(state, word, place, target);
  else focusWord(state, order[target]);
}

// The place that a key goes to; undefined for a key that goes nowhere.
function targetOf(state, place, key) {
  const last = state.order.length - 1;
  const onward = state.rtl ? -1 : 1;
  const along = { ArrowLeft: place - onward, ArrowRight: place + onward, Home: 0, End: last }[key];
  if (along !== undefined) return clamp(along, 0, last);
  const across = { ArrowUp: -1, ArrowDown: 1 }[key];
  return across && placeAcross(state, place, across);
}

function liftOrDrop(state, word) {
  choose(state, null);
  if (state.lifted) return putDown(state);
  state.lifted = { word, before: state.order };
  state.chips[word].classList.add("lifted");
  return tell(state, `${quoted(state, word)} is lifted: arrow keys move it, Enter drops it, Escape puts it back.`);
}

function carry(state, word, place, target) {
  if (target === place) return;
  arrange(state, moved(state.order, place, target));
  focusWord(state, word);
  tell(state, placeWords(state, word, target));
}

// A lifted word stays where it was carried, and Python hears of it.
function putDown(state) {
  const { lifted, order } = state;
  if (!lifted) return;
  state.lifted = null;
  state.chips[lifted.word].classList.remove("lifted");
  if (sameValues(lifted.before, order)) tell(state, `${quoted(state, lifted.word)} stays where it is.`);
  else changeOrder(state, order, placeWords(state, lifted.word, order.indexOf(lifted.word)));
}

// One step without lifting; Python hears of several steps once.
function step(state, word, place, target) {
  if (target === place) return;
  choose(state, null);
  changeOrder(state, moved(state.order, place, target), placeWords(state, word, target), TELL_ORDER_AFTER);
  focusWord(state, word);
}

function leaveAll(state) {
  const { lifted } = state;
  endDrag(state);
  choose(state, null);
  if (!lifted) return;
  state.lifted = null;
  state.chips[lifted.word].classList.remove("lifted");
  arrange(state, lifted.before);
  focusWord(state, lifted.word);
  tell(state, `${quoted(state, lifted.word)} is back in its place.`);
}
