// A choice of one among a few, as a row of joined buttons: one tab stop, arrow keys choose.
// Plain functions without import or export: Python puts this text in front of text.js and querykey.js.

// options: [value, text] pairs. onChoose(value) is called for what the reader chooses, not for showChoice.
function addChoice(parent, label, options, onChoose) {
  const group = addElement(parent, "div", "choice", { role: "radiogroup", "aria-label": label });
  const buttons = options.map(([value, text]) => {
    const button = addElement(group, "button", "", { type: "button", role: "radio" });
    button.textContent = text;
    button.value = value;
    button.onclick = () => onChoose(value);
    return button;
  });
  group.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = buttons.indexOf(event.target);
    const next = buttons[(at + step + buttons.length) % buttons.length];
    next.focus();
    onChoose(next.value);
  };
  return { group, buttons };
}

function showChoice({ buttons }, chosen) {
  for (const button of buttons) {
    button.setAttribute("aria-checked", String(button.value === chosen));
    button.tabIndex = button.value === chosen ? 0 : -1;
  }
}
