// Orders of words as lists of numbers, and where on the screen the words of an order stand.
// Plain functions without import or export: Python puts this text in front of order.js.

// Draws until the words read differently; of words that are all alike none do, so this ends.
const MOST_DRAWS = 60;

function moved(order, from, to) {
  const others = order.toSpliced(from, 1);
  return others.toSpliced(to, 0, order[from]);
}

function swapped(order, one, other) {
  return order.with(one, order[other]).with(other, order[one]);
}

// Fisher and Yates; never the order that is there, if there are two words at least.
function shuffled(order, labels) {
  const read = (places) => places.map((word) => labels[word]).join("\n");
  for (let draw = 0; draw < MOST_DRAWS; draw += 1) {
    const drawn = [...order];
    for (let last = drawn.length - 1; last > 0; last -= 1) {
      const at = Math.floor(Math.random() * (last + 1));
      [drawn[last], drawn[at]] = [drawn[at], drawn[last]];
    }
    if (read(drawn) !== read(order)) return drawn;
  }
  return [...order.slice(1), ...order.slice(0, 1)];
}

// The gap between words that a point is nearest to: 0 before the first, as many as there are words after the last.
// beside, end: the word at which it shows, and at which of its sides.
function gapAt({ order, chips, rtl }, x, y) {
  const boxes = order.map((word) => chips[word].getBoundingClientRect());
  const away = ({ top, bottom }) => Math.max(top - y, y - bottom, 0);
  const nearest = Math.min(...boxes.map(away));
  const line = boxes.map((box, place) => ({ box, place })).filter(({ box }) => away(box) === nearest);
  const after = line.find(({ box }) => (x < (box.left + box.right) / 2) !== rtl);
  const beside = (after ?? line.at(-1)).place;
  return { gap: after ? beside : beside + 1, beside, end: !after };
}

// The place in the line above (-1) or below (1) that stands nearest over or under this one.
function placeAcross({ order, chips }, place, onward) {
  const boxes = order.map((word) => chips[word].getBoundingClientRect());
  const middle = (boxes[place].left + boxes[place].right) / 2;
  const beyond = boxes.map((box, at) => ({ at, box, far: onward * (box.top - boxes[place].top) }))
    .filter(({ far, box }) => far > box.height / 2);
  if (!beyond.length) return place;
  const next = Math.min(...beyond.map(({ far }) => far));
  const off = ({ box }) => Math.max(box.left - middle, middle - box.right, 0);
  const line = beyond.filter(({ far }) => far < next + 4);
  return line.reduce((best, each) => (off(each) < off(best) ? each : best)).at;
}
