// Words as chips that a person puts into another order. A word is known by its number in the original order; Python is
// told the whole order, by the trigger "order".

// Milliseconds after which Python is told of steps with the keyboard: going on is told once.
const TELL_ORDER_AFTER = 450;
const MOVE_TIME = 160;
const LONGEST_WORD = 40;

export default function (component) {
  const root = component.parentElement.querySelector(".order");
  const state = stateOf(root, createOrder);
  const { labels, order, busy } = component.data;
  const theme = readTheme(root);
  root.style.colorScheme = theme.dark ? "dark" : "light";
  state.component = component;
  state.answer = [...order];
  if (labels.join("\n") !== state.labels?.join("\n")) fillWords(state, [...labels]);
  else takeAnswer(state);
  state.busy.hidden = !busy;
  root.setAttribute("aria-busy", String(Boolean(busy)));
  markDrawn(root);
  return endOf(state);
}

function createOrder(root) {
  const state = { root, labels: null, order: [], chips: [], picked: null, lifted: null, drag: null, changedAt: -Infinity };
  const bar = addElement(root, "div", "order-bar");
  const button = (text, act) => {
    const element = addElement(bar, "button", "act", { type: "button" });
    element.textContent = text;
    element.onclick = () => element.getAttribute("aria-disabled") !== "true" && act();
    return element;
  };
  state.shuffle = button("Shuffle", () => replaceOrder(state, shuffled(state.order, state.labels), "Shuffled."));
  state.reverse = button("Reverse", () => replaceOrder(state, state.order.toReversed(), "Reversed."));
  state.reset = button("Reset", () => replaceOrder(state, state.labels.map((_, word) => word), "Back in the original order."));
  state.busy = addElement(bar, "span", "busy", { hidden: "" });
  state.busy.textContent = "reading this order …";
  state.stage = addElement(root, "div", "words", { role: "group", "aria-label": "Words in their order" });
  state.mark = addElement(state.stage, "span", "gap-mark", { "aria-hidden": "true", hidden: "" });
  state.told = addElement(root, "div", "told", { role: "status", "aria-live": "polite" });
  const help = addElement(root, "div", "help", { id: "order-help" });
  help.textContent = "Drag a word, or click two to swap them. Arrow keys go along the words; with Shift they move the word.";
  state.stage.setAttribute("aria-describedby", help.id);
  state.stage.onclick = (event) => onChipClick(state, event.target.closest?.(".chip"));
  state.stage.onkeydown = (event) => onOrderKey(state, event);
  // Whoever goes elsewhere leaves a lifted word where it is; words change places under the focus, which is no leaving.
  state.stage.onfocusout = (event) => !state.arranging && !state.stage.contains(event.relatedTarget) && putDown(state);
  listenToPointer(state);
  return state;
}

function fillWords(state, labels) {
  endDrag(state);
  stop(state, "telling");
  stop(state, "settling");
  Object.assign(state, { labels, order: state.answer, picked: null, lifted: null, changedAt: -Infinity });
  state.rtl = textDirection(labels.join(" ")) === "rtl";
  state.stage.dir = state.rtl ? "rtl" : "ltr";
  state.chips = labels.map((label, word) => {
    const chip = document.createElement("button");
    chip.className = "chip";
    chip.type = "button";
    chip.tabIndex = -1;
    chip.dataset.word = word;
    if (label.length > LONGEST_WORD / 2) chip.title = label;
    addElement(chip, "span", "number", { "aria-hidden": "true" }).textContent = word + 1;
    addElement(chip, "bdi", "").textContent = label;
    return chip;
  });
  state.stage.replaceChildren(...state.order.map((word) => state.chips[word]), state.mark);
  moveTabStop(state.chips, state.chips[state.order[0]]);
  const few = String(labels.length < 2);
  for (const button of [state.shuffle, state.reverse]) button.setAttribute("aria-disabled", few);
  state.told.textContent = labels.length ? "" : "This text has no words to move.";
  describeWords(state);
}

// Python's answer counts, unless it is one to an older order or a word is in the hand.
function takeAnswer(state) {
  if (state.lifted || state.drag || sameValues(state.answer, state.order)) return;
  const left = state.changedAt + LATE_ANSWER - performance.now();
  stop(state, "settling");
  if (left > 0) after(state, "settling", left, () => takeAnswer(state));
  else arrange(state, state.answer);
}

function changeOrder(state, order, words, wait = 0) {
  arrange(state, order);
  tell(state, words);
  state.changedAt = performance.now() + wait;
  after(state, "telling", wait, () => state.component.setTriggerValue("order", state.order));
}

function replaceOrder(state, order, words) {
  leaveAll(state);
  changeOrder(state, order, words);
}

// The chips in another order, each gliding from where it stood to where it stands.
function arrange(state, order) {
  const { stage, chips, mark } = state;
  const before = chips.map((chip) => chip.getBoundingClientRect());
  const focused = stage.getRootNode().activeElement;
  state.order = order;
  state.arranging = true;
  stage.replaceChildren(...order.map((word) => chips[word]), mark);
  if (stage.contains(focused)) focused.focus({ preventScroll: true });
  state.arranging = false;
  describeWords(state);
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  chips.forEach((chip, word) => {
    const after = chip.getBoundingClientRect();
    const [x, y] = [before[word].left - after.left, before[word].top - after.top];
    if (!x && !y) return;
    chip.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: MOVE_TIME, easing: "ease-out" });
  });
}

function describeWords(state) {
  const { order, chips, root, reset } = state;
  order.forEach((word, place) => {
    chips[word].classList.toggle("moved", word !== place);
    chips[word].setAttribute("aria-label", `${shorten(state.labels[word], LONGEST_WORD)}, word ${place + 1} of ${order.length}`);
    chips[word].setAttribute("aria-pressed", String(state.picked === word));
  });
  reset.setAttribute("aria-disabled", String(order.every((word, place) => word === place)));
  root.dataset.order = order.join();
}

function onChipClick(state, chip) {
  if (!chip) return;
  const word = Number(chip.dataset.word);
  const { picked, order } = state;
  putDown(state);
  moveTabStop(state.chips, chip);
  if (picked === null) {
    choose(state, word);
    tell(state, `${quoted(state, word)} is chosen: click another word to swap the two.`);
  } else if (picked === word) {
    choose(state, null);
    tell(state, `${quoted(state, word)} is no longer chosen.`);
  } else {
    choose(state, null);
    changeOrder(state, swapped(order, order.indexOf(picked), order.indexOf(word)),
      `${quoted(state, picked)} and ${quoted(state, word)} have changed places.`);
  }
}

function choose(state, word) {
  state.picked = word;
  describeWords(state);
}

function focusWord(state, word) {
  const chip = state.chips[word];
  moveTabStop(state.chips, chip);
  chip.focus({ preventScroll: true });
  chip.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function tell(state, words) {
  state.told.textContent = words;
}

function quoted(state, word) {
  return `“${shorten(state.labels[word], LONGEST_WORD)}”`;
}

function placeWords(state, word, place) {
  return `${quoted(state, word)} is now word ${place + 1} of ${state.order.length}.`;
}
