// The life of a component: its state, and what of it waits for a later moment, which ends with its element.
// Plain functions without import or export: Python puts this text in front of each component.

const STATES = new WeakMap();

// Streamlit calls a component again on the same root for each data or theme change; this finds its state.
function stateOf(root, create) {
  if (!STATES.has(root)) STATES.set(root, Object.assign(create(root), { ends: new Map() }));
  return STATES.get(root);
}

// Observers, timers, frames and listeners of what is not the component's own are begun here alone. start() returns what
// ends it; one of the same name that was begun before ends now.
function begin(state, name, start) {
  stop(state, name);
  state.ends.set(name, start());
}

function stop({ ends }, name) {
  ends.get(name)?.();
  ends.delete(name);
}

// Streamlit tells of the end some time after the element has gone; whatever comes before that ends all of it.
function whileThere(state, act) {
  return (...given) => (state.root.isConnected ? act(...given) : endLife(state));
}

function after(state, name, milliseconds, act) {
  begin(state, name, () => {
    const timer = setTimeout(whileThere(state, act), milliseconds);
    return () => clearTimeout(timer);
  });
}

// Wheels, pointers and scrolling can send several events within a frame: they make one drawing.
function onNextFrame(state, name, act) {
  if (state.ends.has(name)) return;
  begin(state, name, () => {
    const frame = requestAnimationFrame(whileThere(state, () => {
      state.ends.delete(name);
      act();
    }));
    return () => cancelAnimationFrame(frame);
  });
}

function endLife({ ends }) {
  for (const end of ends.values()) end();
  ends.clear();
}

// What a component returns. Streamlit may call that of an older drawing when a newer one has begun.
function endOf(state) {
  return () => state.root.isConnected || endLife(state);
}
