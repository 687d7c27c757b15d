function ({ most, bytes, tooMany, tooLarge, none }) {
  if (window.headlightDrops) return;
  const life = new AbortController();
  window.headlightDrops = life;
  // The first event after the page was left ends them all.
  const listen = (kind, act) => document.addEventListener(kind, (event) => {
    if (document.querySelector(".st-key-models_drops")) return act(event);
    window.headlightDrops = null;
    return life.abort();
  }, { capture: true, signal: life.signal });
  const uploaderAt = ({ target }) => (target.closest ? target : target.parentElement)
    ?.closest("[data-testid=stFileUploaderDropzone]");

  // A browser opens a file that is dropped where nothing takes it, in place of the page or beside it.
  listen("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files") || uploaderAt(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "none";
  });

  listen("drop", async (event) => {
    const uploader = uploaderAt(event);
    if (!event.isTrusted || !uploader) return;
    const dropped = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    const isFlat = !dropped.some(({ isDirectory }) => isDirectory);
    if (isFlat && !refusal(event.dataTransfer.files)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    // Streamlit takes the files of a dropped folder, but forgets where in it they lie.
    const found = isFlat ? [...event.dataTransfer.files] : [];
    if (!isFlat) for (const entry of dropped) await gather(entry, found);
    const sentence = refusal(found);
    tell(uploader, sentence);
    // Of none Streamlit only learns that the drag is over.
    const files = sentence ? [] : found;
    const items = files.map((file) => ({ kind: "file", type: file.type, getAsFile: () => file }));
    const again = new DragEvent("drop", { bubbles: true, cancelable: true });
    Object.defineProperty(again, "dataTransfer", { value: { types: ["Files"], items, files } });
    uploader.dispatchEvent(again);
  });

  // The same for files that are chosen in a dialog.
  listen("change", (event) => {
    const [field, uploader] = [event.target, uploaderAt(event)];
    const sentence = uploader && field.type === "file" && field.files.length ? refusal(field.files) : "";
    if (!sentence) return;
    event.stopImmediatePropagation();
    field.value = "";
    tell(uploader, sentence);
  });

  // Streamlit draws each file, and the page stands still while it draws thousands; one that is too large among others
  // it leaves out without a word.
  function refusal(files) {
    if (files.length > most) return tooMany;
    if ([...files].reduce((sum, { size }) => sum + size, 0) > bytes) return tooLarge;
    return files.length ? "" : none;
  }

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
