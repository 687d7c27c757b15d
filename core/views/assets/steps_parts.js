// The source, coloured by the weights of a step, and the output up to it.
// Plain functions without import or export: Python puts this text in front of steps.js.

function createBlock(parent, className, title) {
  const block = addElement(parent, "section", `block ${className}`, { "aria-label": title });
  const head = addElement(block, "div", "block-title");
  addElement(head, "span", "").textContent = title;
  return { block, remark: addElement(head, "span", "block-remark") };
}

function fillSource(state) {
  const { sourceList, header, weights } = state;
  sourceList.replaceChildren();
  sourceList.dir = textDirection(header.source.join(""));
  state.chips = header.source.map((word, at) => {
    const chip = addElement(sourceList, "li", "chip");
    addElement(chip, "bdi", "chip-word").textContent = word;
    const number = weights ? addElement(chip, "span", "chip-number") : null;
    if (weights) {
      chip.onpointermove = chip.onpointerdown = () => tellSourceWord(state, at);
      chip.onpointerleave = () => hideTooltip(state.tooltip);
    }
    return { chip, number };
  });
}

function showSource(state) {
  const { chips, step, theme, weights } = state;
  if (!weights) return;
  chips.forEach(({ chip, number }, at) => {
    const fill = fillOf(state, step - 1, at);
    chip.style.background = cssColour(fill);
    chip.style.color = cssColour(inkOn(fill));
    chip.style.borderColor = cssColour(contrast(fill, theme.background) < 1.3 ? theme.border : fill);
    number.textContent = shortWeight(weightOf(state, step - 1, at));
  });
}

function tellSourceWord(state, at) {
  const { header, step, chips, tooltip } = state;
  const box = chips[at].chip;
  const [left, top] = [box.offsetLeft, box.offsetTop];
  showTooltip(tooltip, [
    { className: "tooltip-title tooltip-tokens",
      pieces: [{ token: header.tokens[step - 1] }, { text: " → " }, { token: header.source[at] }] },
    { className: "tooltip-value", pieces: [{ text: `weight ${formatWeight(weightOf(state, step - 1, at))}` }] },
  ], { left, top, right: left + box.offsetWidth, bottom: top + box.offsetHeight });
}

// One tab stop for all tokens; what comes after the shown step keeps its room, so that nothing moves.
function fillOutput(state) {
  const { outputList, header } = state;
  outputList.replaceChildren();
  outputList.dir = textDirection(header.tokens.join(""));
  state.tokenButtons = header.tokens.map((token, place) => {
    const fixed = header.own.includes(place);
    const button = addElement(outputList, "button", `token${fixed ? " fixed" : ""}`, {
      type: "button", title: fixed ? "Fixed by you" : "",
    });
    addElement(button, "bdi", "").textContent = token;
    if (fixed) addElement(button, "span", "visually-hidden").textContent = ", fixed by you";
    button.onclick = () => goTo(state, place + 1);
    button.onkeydown = (event) => onTokenKey(state, event);
    return button;
  });
}

function showOutput({ tokenButtons, step }) {
  tokenButtons.forEach((button, place) => {
    button.classList.toggle("current", place === step - 1);
    button.classList.toggle("later", place >= step);
    if (place === step - 1) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  });
  moveTabStop(tokenButtons, tokenButtons[step - 1]);
}

function onTokenKey(state, event) {
  const { step, steps, tokenButtons } = state;
  const target = stepOfKey(event, step, steps.length, state.outputList.dir === "rtl");
  if (target === null) return;
  event.preventDefault();
  event.stopPropagation();
  goTo(state, target);
  tokenButtons[state.step - 1].focus();
}

// The step that an arrow key leads to, or null for other keys. Where words run from right to left, so do the arrows.
function stepOfKey(event, step, count, isRight = false) {
  if (event.altKey || event.metaKey || event.ctrlKey) return null;
  const forward = isRight ? -1 : 1;
  const target = { ArrowRight: step + forward, ArrowLeft: step - forward, Home: 1, End: count }[event.key];
  return target === undefined ? null : clamp(target, 1, count);
}
