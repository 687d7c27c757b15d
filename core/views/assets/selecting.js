// The selection that all figures of a page share: who follows it, and how a choice made in one reaches the others.
// Plain functions without import or export: Python puts this text in front of each component.

// Milliseconds for which an answer from Python may be about an older choice.
const LATE_ANSWER = 1000;

// What all components of a page share, each being a script of its own: the selection, who follows it, and the
// figures that can be exported.
function commonPlace() {
  globalThis.headlight ??= { selection: {}, listeners: new Map(), figures: new Map() };
  globalThis.headlight.changed ??= new Map();
  return globalThis.headlight;
}

function currentSelection() {
  return commonPlace().selection;
}

// Calls onChange when the selection changes, but not for what this component selected itself.
function followSelection(state, onChange) {
  const { listeners } = commonPlace();
  state.seenSelection = selectionText(currentSelection());
  const hear = whileThere(state, (text) => {
    if (state.seenSelection === text) return;
    state.seenSelection = text;
    onChange();
  });
  begin(state, "following", () => {
    listeners.set(state.root, hear);
    return () => listeners.delete(state.root);
  });
}

// The same for the same selection, whatever the order of its names.
function selectionText(selection) {
  return JSON.stringify(Object.entries(selection).sort());
}

// What Python says is selected. It may answer an older click: what this page has changed a moment ago stays as it is,
// or the figures would jump back and forth, and the answer counts in full when that moment is over.
function receiveSelection(state, selection) {
  const place = commonPlace();
  const recent = recentChanges(place);
  announceSelection({ ...selection, ...recent });
  // The page that is left may have its component still.
  if (place.receiver) stop(place.receiver, "settling");
  place.receiver = state;
  if (Object.keys(recent).length === 0) return;
  after(state, "settling", LATE_ANSWER, () => receiveSelection(state, selection));
}

function recentChanges({ changed, selection }) {
  const since = performance.now() - LATE_ANSWER;
  const names = [...changed.keys()].filter((name) => changed.get(name) > since);
  return Object.fromEntries(names.map((name) => [name, selection[name]]));
}

function announceSelection(selection) {
  const place = commonPlace();
  place.selection = selection;
  const text = selectionText(selection);
  for (const tell of [...place.listeners.values()]) tell(text);
}

// A choice made in one figure shows in the others at once; Python hears of it by the component's own trigger.
function changeSelection(state, changes) {
  const selection = { ...currentSelection(), ...changes };
  const { changed } = commonPlace();
  for (const name of Object.keys(changes)) changed.set(name, performance.now());
  state.seenSelection = selectionText(selection);
  announceSelection(selection);
}
