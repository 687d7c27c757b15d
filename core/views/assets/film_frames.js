// The frames of a film: which steps there are, which frame a panel shows at a step, and what is in it.
// Plain functions without import or export: Python puts this text in front of film.js.

// A weight of 1 in the 16 bits in which weights travel.
const WHOLE = 65535;

function readPanels(header, arrays) {
  return header.panels.map((panel, index) => ({
    ...panel,
    weights: arrays[`weights${index}`].values,
    goldOf: goldKinds(panel),
    goldRows: new Set(panel.possible.map(([row]) => row)),
  }));
}

// "possible" or "sure" by "row,column".
function goldKinds({ possible, sure }) {
  const kinds = new Map(possible.map((link) => [String(link), "possible"]));
  for (const link of sure) kinds.set(String(link), "sure");
  return kinds;
}

// The steps of all panels, rising.
function allSteps(panels) {
  return [...new Set(panels.flatMap(({ steps }) => steps))].sort((one, other) => one - other);
}

// The newest frame that is worth following: of runs that are under way, the last step that all of them have reached.
function newestStep(panels) {
  const shown = panels.filter(({ steps }) => steps.length > 0);
  const growing = shown.filter((panel) => panel.growing);
  const last = (panel) => panel.steps[panel.steps.length - 1];
  if (growing.length) return Math.min(...growing.map(last));
  return shown.length ? Math.max(...shown.map(last)) : null;
}

// The panel's nearest frame that is not after the step; -1 where it has none.
function frameAt({ steps }, step) {
  return step === null ? -1 : steps.findLastIndex((own) => own <= step);
}

function weightAt({ weights, rows, cols }, frame, row, col) {
  return weights[(frame * rows.length + row) * cols.length + col] / WHOLE;
}

// The column of a row's largest weight; of equal ones, the first.
function largestCol(panel, frame, row) {
  let best = 0;
  for (let col = 1; col < panel.cols.length; col += 1) {
    if (weightAt(panel, frame, row, col) > weightAt(panel, frame, row, best)) best = col;
  }
  return best;
}

// What tells one film from another: a new one starts at its newest frame. Another head of the same runs is no new film.
function filmKey(panels) {
  return JSON.stringify(panels.map(({ label, colour, rows, cols }) => [label, colour, rows, cols]));
}
