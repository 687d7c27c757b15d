// Half a surrogate pair cannot travel to the server: the message that holds it is refused, and with it every later
// one. It becomes U+FFFD as it is typed or pasted, before Streamlit's own handlers see it; the page then reports it.
if (!window.headlightWellFormed) {
  window.headlightWellFormed = true;
  document.addEventListener("input", ({ target, isComposing }) => {
    if (isComposing || typeof target.value !== "string" || target.value.isWellFormed()) return;
    const { selectionStart } = target;
    // The prototype's setter, because React watches the element's own and would miss the change.
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), "value");
    set.call(target, target.value.toWellFormed());
    target.setSelectionRange(selectionStart, selectionStart);
  }, true);
}
