// Draws nothing: it brings what is selected from Python to all figures of the page, which follow it, and the link to
// the view to their Export menus.

export default function (component) {
  const state = stateOf(component.parentElement.querySelector(".selection"), (root) => ({ root }));
  const { link, ...selection } = component.data;
  commonPlace().link = link;
  receiveSelection(state, selection);
  return endOf(state);
}
