// Words dragged with the pointer: a copy follows it, a mark shows the gap into which the word would go.
// Plain functions without import or export: Python puts this text in front of order.js.

// Pixels after which a press is no click any more, and from the edge of the words where they begin to scroll.
const DRAG_STARTS = 5;
const SCROLL_EDGE = 28;
const SCROLL_STEP = 14;

function listenToPointer(state) {
  const { stage } = state;
  stage.onpointerdown = (event) => {
    const chip = event.target.closest?.(".chip");
    // A finger scrolls: it swaps words by taps.
    if (!chip || event.button !== 0 || event.pointerType === "touch") return;
    state.drag = { word: Number(chip.dataset.word), pointer: event.pointerId, x: event.clientX, y: event.clientY };
  };
  stage.onpointermove = (event) => state.drag?.pointer === event.pointerId && dragTo(state, event);
  stage.onpointerup = (event) => state.drag?.pointer === event.pointerId && dropWord(state);
  stage.onpointercancel = () => endDrag(state);
  stage.onlostpointercapture = () => endDrag(state);
}

function dragTo(state, event) {
  const { drag, stage } = state;
  if (!(event.buttons & 1)) return endDrag(state);
  if (!drag.ghost) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_STARTS) return undefined;
    startDrag(state);
  }
  const edges = stage.getBoundingClientRect();
  if (event.clientY < edges.top + SCROLL_EDGE) stage.scrollTop -= SCROLL_STEP;
  else if (event.clientY > edges.bottom - SCROLL_EDGE) stage.scrollTop += SCROLL_STEP;
  const origin = state.root.getBoundingClientRect();
  drag.ghost.style.left = `${drag.left + event.clientX - drag.x - origin.left}px`;
  drag.ghost.style.top = `${drag.top + event.clientY - drag.y - origin.top}px`;
  drag.into = gapAt(state, event.clientX, event.clientY);
  return markGap(state);
}

function startDrag(state) {
  const { drag, stage, chips, root } = state;
  putDown(state);
  choose(state, null);
  stage.setPointerCapture(drag.pointer);
  const chip = chips[drag.word];
  const box = chip.getBoundingClientRect();
  Object.assign(drag, { left: box.left, top: box.top, ghost: chip.cloneNode(true) });
  drag.ghost.removeAttribute("aria-pressed");
  drag.ghost.setAttribute("aria-hidden", "true");
  drag.ghost.tabIndex = -1;
  drag.ghost.classList.add("ghost");
  drag.ghost.style.width = `${box.width}px`;
  root.append(drag.ghost);
  chip.classList.add("away");
  stage.classList.add("dragging");
}

// At the side of the word before or after the gap; where the word already stands there is nothing to mark.
function markGap({ mark, stage, order, chips, rtl, drag }) {
  const { gap, beside, end } = drag.into;
  const from = order.indexOf(drag.word);
  mark.hidden = gap === from || gap === from + 1;
  const chip = chips[order[beside]];
  const space = parseFloat(getComputedStyle(stage).columnGap) / 2;
  mark.style.left = `${end !== rtl ? chip.offsetLeft + chip.offsetWidth + space : chip.offsetLeft - space}px`;
  mark.style.top = `${chip.offsetTop}px`;
  mark.style.height = `${chip.offsetHeight}px`;
}

function dropWord(state) {
  const { drag, order } = state;
  const { ghost, into, word } = drag;
  endDrag(state);
  if (!ghost || !into) return;
  const from = order.indexOf(word);
  const to = into.gap > from ? into.gap - 1 : into.gap;
  if (to === from) tell(state, `${quoted(state, word)} stays where it is.`);
  else changeOrder(state, moved(order, from, to), placeWords(state, word, to));
}

function endDrag(state) {
  const { drag, stage, mark, chips } = state;
  if (!drag) return;
  state.drag = null;
  drag.ghost?.remove();
  mark.hidden = true;
  stage.classList.remove("dragging");
  chips[drag.word]?.classList.remove("away");
}
