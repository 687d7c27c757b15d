// The error rate of every frame as a line over the slider: when the alignment was learnt, and where the film is.
// Plain functions without import or export: Python puts this text in front of film.js.

const STRIP_REM = 2.2;
// Half of the slider's thumb: the first frame is so far from its end. The same in film.css.
const THUMB_REM = 0.55;

function paintStrip(state) {
  const { strip, layout, panels } = state;
  strip.hidden = !panels.some(({ goldOf }) => goldOf.size > 0);
  if (strip.hidden) return;
  const [width, height] = [state.slider.clientWidth, STRIP_REM * layout.rem];
  state.stripContext = sizeCanvas(strip, width, height, layout.ratio);
  state.stripSize = [width, height];
}

function drawStrip(state) {
  const { strip, stripContext: context, theme, panels, layout } = state;
  if (strip.hidden) return;
  const [width, height] = state.stripSize;
  const { rem } = layout;
  const [start, room] = [THUMB_REM * rem, width - 2 * THUMB_REM * rem];
  const place = (index) => start + (index / Math.max(1, state.steps.length - 1)) * room;
  const level = (error) => 0.25 * rem + (1 - clamp(error, 0, 1)) * (height - 0.5 * rem);
  context.clearRect(0, 0, width, height);
  context.fillStyle = cssColour(theme.border);
  context.fillRect(start, level(0), room, 1);
  context.fillStyle = cssColour(theme.muted);
  context.font = `${0.73 * rem}px ${theme.font}`;
  context.textAlign = "right";
  context.textBaseline = "top";
  context.fillText("error rate", start + room - 0.5 * rem, titlePlace(panels) * (height - rem));
  if (!state.steps.length) return;
  const x = place(shownIndex(state));
  context.fillRect(x - 0.5, 0, 1, height);
  for (const panel of panels) {
    const points = panel.steps.map((step, frame) => [place(state.steps.indexOf(step)), panel.errors[frame] ?? null])
      .filter(([, error]) => error !== null).map(([left, error]) => [left, level(error)]);
    drawErrorLine(context, points, panel, rem, theme.outline);
    const own = panel.errors[frameAt(panel, state.step)] ?? null;
    if (own !== null) drawSpot(context, x, level(own), 0.22 * rem, panel.colour);
  }
}

// Where the lines are not, in the last sixth of the film: 0 at the top, 1 at the bottom.
function titlePlace(panels) {
  const late = panels.flatMap(({ errors }) => errors.slice(Math.floor((5 * errors.length) / 6)))
    .filter((error) => error !== null);
  // The middle of the words is as high as that of a line with this error.
  const distance = (place) => Math.min(1, ...late.map((error) => Math.abs(1 - error - (0.2 + 0.6 * place))));
  return [0, 0.9, 0.5].reduce((best, place) => (distance(place) > distance(best) ? place : best));
}

function drawErrorLine(context, points, { colour, dash }, rem, outline) {
  context.strokeStyle = colour;
  context.lineWidth = 0.13 * rem * outline;
  context.setLineDash(dash === "solid" ? [] : [0.45 * rem, 0.3 * rem]);
  context.beginPath();
  points.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.stroke();
  context.setLineDash([]);
}

function drawSpot(context, x, y, radius, colour) {
  context.fillStyle = colour;
  context.beginPath();
  context.roundRect(x - radius, y - radius, 2 * radius, 2 * radius, radius);
  context.fill();
}
