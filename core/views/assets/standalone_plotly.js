// What a page that stands alone adds to a Plotly figure: colours of the reader's theme, and buttons for pictures.
// Python puts the page's own data in front of this.

const plot = document.querySelector("#figure .plotly-graph-div");
const darkTheme = matchMedia("(prefers-color-scheme: dark)");

function followTheme() {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--st-${name}-color`).trim();
  const lines = { gridcolor: colour("border"), zerolinecolor: colour("border"), linecolor: colour("border") };
  const changes = { paper_bgcolor: colour("background"), plot_bgcolor: colour("background"), "font.color": colour("text") };
  for (const axis of Object.keys(plot.layout).filter((name) => /^[xy]axis\d*$/.test(name))) {
    for (const [name, value] of Object.entries(lines)) changes[`${axis}.${name}`] = value;
  }
  Plotly.relayout(plot, changes);
}

function addPictureButton(format) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = `${format.toUpperCase()} picture`;
  button.onclick = () => Plotly.downloadImage(plot, { format, filename: pageData.exporter.stem, scale: 2 });
  document.querySelector("#exporter > div").append(button);
}

followTheme();
darkTheme.addEventListener("change", followTheme);
["svg", "png"].forEach(addPictureButton);
