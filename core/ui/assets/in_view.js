function ([time, key]) {
  // A run that draws the same script again, or a way back to the page, asks for nothing new.
  if (window.headlightInView === time) return;
  window.headlightInView = time;
  const [patience, settled] = [8000, 800];
  const began = performance.now();
  let [seen, held] = [null, false];
  const hands = ["wheel", "touchstart", "pointerdown", "keydown"];
  const letGo = () => { held = true; };
  hands.forEach((hand) => window.addEventListener(hand, letGo, { once: true, passive: true }));
  // What stands above a card is still being drawn when it comes, so it is followed until it rests.
  function show(now) {
    const card = document.querySelector(`.st-key-${key}`);
    if (card !== null && seen === null) seen = now;
    const waited = now - (seen ?? began) > (seen === null ? patience : settled);
    const left = document.querySelector(".st-key-models_script") === null;
    if (held || waited || left || window.headlightInView !== time) {
      hands.forEach((hand) => window.removeEventListener(hand, letGo));
      return;
    }
    if (card !== null) {
      const { top } = card.getBoundingClientRect();
      if (top < 60 || top > window.innerHeight / 2) card.scrollIntoView({ block: "start" });
    }
    requestAnimationFrame(show);
  }
  requestAnimationFrame(show);
}
