// Going to another page writes several addresses: the page that is left with what is asked of the other one, the other
// page with the same, and that page's own once it knows it. Each but the last names the page where it leads, and what
// follows takes its place, so that the way there is one entry of the history and one Back returns.
if (!window.headlightGoing) {
  window.headlightGoing = true;
  const push = window.history.pushState;
  const goesTo = (address) => new URL(address, window.location.href).searchParams.get("going");
  window.history.pushState = (state, title, address) => {
    const isOnTheWay = goesTo("") !== null || goesTo(address) === window.location.pathname.split("/").at(-1);
    (isOnTheWay ? window.history.replaceState : push).call(window.history, state, title, address);
  };
}
