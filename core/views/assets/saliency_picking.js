// Pointer and keyboard on the words of the saliency figure, and the word that is marked in all rows.
// Plain functions without import or export: Python puts this text in front of saliency.js.

function listenToWords(state) {
  const { stage } = state;
  stage.onpointermove = (event) => pointAtWord(state, wordUnder(state, event));
  stage.onpointerleave = (event) => event.pointerType !== "touch" && pointAtWord(state, null);
  stage.onblur = () => pointAtWord(state, null);
  stage.onclick = (event) => {
    const cell = wordUnder(state, event);
    if (cell) pickWord(state, cell);
  };
  stage.onkeydown = (event) => onWordKey(state, event);
}

function wordUnder({ sections, layout, shown }, event) {
  const index = sections.findIndex(({ element }) => {
    const { top, bottom } = element.getBoundingClientRect();
    return event.clientY >= top && event.clientY < bottom;
  });
  if (index < 0) return null;
  const box = sections[index].element.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const row = layout.rows.findIndex(({ top }) => y >= top && y < top + layout.rowHeight);
  const column = layout.blocks[index].columns.find(({ left, width }) => x >= left - 1 && x < left + width + 1);
  return row >= 0 && row < shown.length && column ? { row, group: column.group } : null;
}

function pointAtWord(state, cell) {
  const { tooltip, ring, layout, shown } = state;
  if (cell?.row === state.cell?.row && cell?.group === state.cell?.group) return;
  state.cell = cell;
  if (!cell) {
    ring.remove();
    hideTooltip(tooltip);
    return;
  }
  const { left, width, block } = layout.place[cell.group];
  const box = { left, width, top: layout.rows[cell.row].top, height: layout.rowHeight };
  placeBox(ring, state.sections[block].element, box);
  const place = ring.getBoundingClientRect();
  const origin = state.root.getBoundingClientRect();
  const [x, y] = [place.left - origin.left, place.top - origin.top];
  showTooltip(tooltip, wordTooltip(state, shown[cell.row], cell.group),
    { left: x, top: y, right: x + place.width, bottom: y + place.height });
}

function placeBox(element, parent, { left, top, width, height }) {
  for (const [name, value] of Object.entries({ left, top, width, height })) element.style[name] = `${value}px`;
  parent.append(element);
}

// Clicking the marked word takes the mark away: Python hears null.
function pickWord(state, { row, group }) {
  state.picked = state.picked === group ? null : group;
  markPicked(state);
  state.live.textContent = `${labelOf(state, group)} ${state.picked === null ? "no longer marked" : "marked in all rows"}`;
  state.component.setTriggerValue("pick", { group: state.picked, row });
}

function markPicked({ picked, mark, layout, sections, root }) {
  root.dataset.picked = picked ?? "";
  const place = picked === null ? null : layout.place[picked];
  if (!place || !layout.rows.length) return mark.remove();
  const top = layout.rows[0].top;
  return placeBox(mark, sections[place.block].element,
    { left: place.left - 1, width: place.width + 2, top: top - 1, height: layout.height - top + 2 });
}

function onWordKey(state, event) {
  if (event.altKey || event.metaKey || event.ctrlKey || !state.shown.length || !state.labels.length) return;
  const { cell, layout, shown, labels, picked } = state;
  const [row, group] = [cell?.row ?? 0, cell?.group ?? picked ?? 0];
  const onward = layout.rtl ? -1 : 1;
  const target = {
    ArrowUp: [row - 1, group], ArrowDown: [row + 1, group], ArrowLeft: [row, group - onward],
    ArrowRight: [row, group + onward], Home: [row, 0], End: [row, labels.length - 1],
    PageUp: [0, group], PageDown: [shown.length - 1, group],
  }[event.key];
  const isPick = event.key === "Enter" || event.key === " ";
  if (!target && !isPick && event.key !== "Escape") return;
  event.preventDefault();
  event.stopPropagation();
  if (isPick) {
    if (cell) pickWord(state, cell);
    return;
  }
  if (!target) return pointAtWord(state, null);
  // The first key only shows where the reading starts.
  const [toRow, toGroup] = cell ? target : [row, group];
  const next = { row: clamp(toRow, 0, shown.length - 1), group: clamp(toGroup, 0, labels.length - 1) };
  showWord(state, next.group);
  pointAtWord(state, next);
  state.live.textContent = spokenWord(state, shown[next.row], next.group);
}

// The block of a word scrolls into the stage where that has a bar.
function showWord({ stage, sections, layout }, group) {
  const { element } = sections[layout.place[group].block];
  const [start, end] = [element.offsetTop, element.offsetTop + element.offsetHeight];
  if (start < stage.scrollTop) stage.scrollTop = start;
  else if (end > stage.scrollTop + stage.clientHeight) {
    stage.scrollTop = Math.min(start, end - stage.clientHeight);
  }
}
