function ({ most, tooMany, none }) {
  // The listeners stay with the window, whatever page it shows.
  if (window.headlightDrops) return;
  window.headlightDrops = true;
  const uploaderAt = ({ target }) => (target.closest ? target : target.parentElement)
    ?.closest("[data-testid=stFileUploaderDropzone]");

  // A browser opens a file that is dropped where nothing takes it, in place of the page or beside it.
  document.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files") || uploaderAt(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "none";
  }, true);

  // Streamlit takes the files of a dropped folder, but forgets where in it they lie.
  document.addEventListener("drop", async (event) => {
    const uploader = uploaderAt(event);
    if (!event.isTrusted || !uploader) return;
    const dropped = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    if (!dropped.some(({ isDirectory }) => isDirectory)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const found = [];
    for (const entry of dropped) await gather(entry, found);
    // Streamlit draws each file, and the page stands still while it draws thousands. Of none it only learns that the
    // drag is over.
    const files = found.length > most ? [] : found;
    tell(uploader, files.length > 0 ? "" : found.length > 0 ? tooMany : none);
    const items = files.map((file) => ({ kind: "file", type: file.type, getAsFile: () => file }));
    const again = new DragEvent("drop", { bubbles: true, cancelable: true });
    Object.defineProperty(again, "dataTransfer", { value: { types: ["Files"], items, files } });
    uploader.dispatchEvent(again);
  }, true);

  async function gather(entry, files) {
    if (files.length > most) return;
    if (entry.isFile) {
      const file = await answer((take, fail) => entry.file(take, fail));
      // The name that Streamlit sends is this path, which browsers set for a folder that is chosen in a dialog.
      if (file) files.push(Object.defineProperty(file, "webkitRelativePath", { value: entry.fullPath.slice(1) }));
      return;
    }
    const reader = entry.createReader();
    const some = () => answer((take, fail) => reader.readEntries(take, fail));
    // A reader tells of some at a time, and of none at the end.
    for (let inside = await some(); inside?.length; inside = await some()) {
      // The page would leave hidden ones out: what git keeps there is the whole model once more.
      for (const inner of inside) if (!inner.name.startsWith(".")) await gather(inner, files);
    }
  }

  // Until something else comes: then the page draws the uploader anew.
  function tell(uploader, sentence) {
    const place = uploader.parentElement;
    place.querySelector(".headlight-note")?.remove();
    if (!sentence) return;
    const note = document.createElement("div");
    note.className = "headlight-note error";
    note.setAttribute("role", "alert");
    note.textContent = sentence;
    place.append(note);
  }

  // What cannot be read is left out; the page then says what a model lacks.
  function answer(ask) {
    return new Promise((take) => ask(take, () => take(null)));
  }
}
