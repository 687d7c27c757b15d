// Draws nothing: it brings what is selected from Python to all figures of the page, which follow it.

export default function (component) {
  receiveSelection({ ...component.data });
}
