// The likeliest next tokens of a step: a bar each, the one that came is marked, another one can be chosen.
// Plain functions without import or export: Python puts this text in front of steps.js.

function showNext(state) {
  const { nextList, header, step } = state;
  const place = step - 1;
  const rows = nextRows(header, place);
  const hadFocus = nextList.contains(nextList.getRootNode().activeElement);
  nextList.replaceChildren();
  state.nextButtons = rows.map((row) => createNextRow(state, row, place));
  const chosen = rows.findIndex((row) => row.came);
  const target = state.nextButtons[Math.max(0, chosen)];
  if (target) moveTabStop(state.nextButtons, target);
  if (hadFocus) target?.focus();
}

// The alternatives of a step and, where it is not among them, the token that came.
function nextRows(header, place) {
  const rows = header.next[place].map(([id, label, probability], rank) => ({
    id, label, probability, rank: rank + 1, came: rank === header.chosen[place],
  }));
  if (header.chosen[place] >= 0) return rows;
  return [...rows, { id: null, label: header.tokens[place], probability: header.probabilities[place], rank: null,
    came: true }];
}

function createNextRow(state, { id, label, probability, rank, came }, place) {
  const { nextList, header } = state;
  const mark = came ? markOf(header, place) : "";
  const button = addElement(nextList, "button", `next-token${came ? " came" : ""}${rank === null ? " outside" : ""}`, {
    type: "button",
    "aria-label": [rank === null ? "" : `${rank}.`, label, percentText(probability), mark || "write on with it"]
      .filter(Boolean).join(", "),
    title: came ? "" : `Write on with “${shorten(label, 40)}”`,
  });
  if (came) button.setAttribute("aria-current", "true");
  addElement(button, "bdi", "next-label").textContent = label;
  const track = addElement(button, "span", "next-track", { "aria-hidden": "true" });
  addElement(track, "span", "next-bar").style.width = `${100 * barShare(probability)}%`;
  addElement(button, "span", "next-number").textContent = percentText(probability);
  addElement(button, "span", "next-mark").textContent = mark;
  button.onclick = () => (came || id === null ? null : choose(state, place, id, label));
  button.onkeydown = (event) => onNextKey(state, button, event);
  return button;
}

function markOf({ forced, own }, place) {
  if (own.includes(place)) return "fixed by you";
  return place < forced ? "kept" : "written";
}

// Python writes on from the chosen token; until its answer is there, the figure says what it waits for.
function choose(state, place, id, label) {
  stopPlaying(state);
  const name = shorten(label, 40);
  if (standsAlone()) {
    state.status.textContent = "This page holds one translation. In Headlight the model would write on with "
      + `“${name}”.`;
    return;
  }
  state.status.textContent = `Writing on with “${name}” …`;
  state.component.setTriggerValue("alternative", { step: place, id });
}

// Whether this is a page saved as a file, where no model listens.
function standsAlone() {
  return document.querySelector("#payload") !== null;
}

function onNextKey(state, button, event) {
  const { nextButtons, step, steps } = state;
  const at = nextButtons.indexOf(button);
  const target = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
  const toStep = target === undefined ? stepOfKey(event, step, steps.length) : null;
  if (target === undefined && toStep === null) return;
  event.preventDefault();
  event.stopPropagation();
  if (toStep !== null) return goTo(state, toStep);
  const next = nextButtons[clamp(target, 0, nextButtons.length - 1)];
  moveTabStop(nextButtons, next);
  return next.focus();
}
