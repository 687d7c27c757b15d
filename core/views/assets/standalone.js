// Draws the figure of a page that stands alone: what Streamlit does elsewhere, without a server.
// Python puts drawFigure, drawExporter and the page's own data in front of this.

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function showFigure() {
  const component = {
    data: bytesOf(document.querySelector("#payload").textContent),
    parentElement: document.querySelector("#figure"),
    // There is nobody to tell: figures follow their own selection by themselves.
    setTriggerValue() {},
  };
  drawFigure(component);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawFigure(component));
}

globalThis.headlight = { selection: pageData.selection, listeners: new Map(), figures: new Map() };
showFigure();
drawExporter({ data: pageData.exporter, parentElement: document.querySelector("#exporter"), setTriggerValue() {} });
