// The buttons under "Export" that work in the browser: the figure as a picture, and a link to the view.

export default function (component) {
  const root = component.parentElement.querySelector(".exporter");
  const state = stateOf(root, createExporter);
  const { name, kind } = component.data;
  // Our own figures publish themselves as they are drawn.
  const publish = () => (kind === "plotly" ? publishPlot(component.data, root) : null);
  state.svg.onclick = () => attempt(state, "The SVG picture is saved.", async () => {
    await publish();
    saveFile(new Blob([figureSvg(name)], { type: "image/svg+xml" }), `${publishedFigure(name).figure.stem}.svg`);
  });
  state.png.onclick = () => attempt(state, "The PNG picture is saved.", async () => {
    await publish();
    saveFile(await figurePng(name), `${publishedFigure(name).figure.stem}.png`);
  });
  // A page that stands by itself has no link.
  state.copy.hidden = !commonPlace().link;
  state.copy.onclick = () => {
    const { parameters, note } = commonPlace().link;
    copyLink(state, linkTo(parameters), note);
  };
}

function createExporter(root) {
  const button = (text) => {
    const element = addElement(root, "button", "", { type: "button" });
    element.textContent = text;
    return element;
  };
  return {
    svg: button("SVG picture"),
    png: button("PNG picture"),
    copy: button("Copy link"),
    link: addElement(root, "input", "link", { readonly: "", "aria-label": "Link to this view", hidden: "" }),
    status: addElement(root, "div", "status", { role: "status", "aria-live": "polite" }),
  };
}

function tell(state, text, isError = false) {
  state.status.textContent = text;
  state.status.classList.toggle("error", isError);
  state.link.hidden = true;
}

async function attempt(state, done, work) {
  tell(state, "Drawing the picture …");
  // A large picture takes seconds: the words must be on the screen before. It is saved although its menu be closed
  // meanwhile, and its address goes after it.
  await new Promise((resolve) => { setTimeout(resolve, 30); });
  try {
    await work();
    tell(state, done);
  } catch (error) {
    tell(state, error.message, true);
  }
}

function saveFile(blob, fileName) {
  const address = URL.createObjectURL(blob);
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = fileName;
  anchor.click();
  // The browser reads the address after this call has ended.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function linkTo(parameters) {
  const query = new URLSearchParams(parameters).toString();
  return `${location.origin}${location.pathname}${query && `?${query}`}`;
}

async function copyLink(state, link, note) {
  const copied = await writeClipboard(state, link);
  const outcome = copied ? "The link is copied." : "Copy the link from the box with Ctrl+C.";
  tell(state, [outcome, note].filter(Boolean).join(" "));
  if (copied) state.copy.focus();
  else showLink(state, link);
}

// Pages from other hosts without https have no clipboard, and a person may forbid it.
async function writeClipboard(state, text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    showLink(state, text);
    return document.execCommand("copy");
  }
}

function showLink(state, link) {
  state.link.hidden = false;
  state.link.value = link;
  state.link.focus();
  state.link.select();
}
