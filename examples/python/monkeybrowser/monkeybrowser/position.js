// Runs in every page, in a world of its own: the page's scripts neither see nor call what is here.

// A property of the document itself: elements that a page names so would hide it.
function ofDocument(name) {
  return Reflect.get(Document.prototype, name, document);
}

function position() {
  const element = ofDocument("documentElement");
  const root = ofDocument("scrollingElement") || element;
  return {
    offset: window.scrollY,
    fraction: root.scrollHeight > 0 ? Math.min(window.scrollY / root.scrollHeight, 1) : 0,
    width: element.clientWidth,
  };
}

function tell() {
  window.webkit.messageHandlers.position.postMessage(JSON.stringify(position()));
}

// WebKit tells of it once for each frame; the page's scripts may make up any number of such events.
function tellUnlessMadeUp(event) {
  if (event.isTrusted) tell();
}

// Scrolls there, and gives the position that was reached. The page may still grow: until it is high enough, and has
// been loaded, it is scrolled again; but no longer than that many seconds, and not once the user has begun to scroll.
function restorePosition(offset, fraction, width, seconds) {
  const root = document.scrollingElement || document.documentElement;
  const byUser = ["wheel", "keydown", "pointerdown", "touchstart"];
  return new Promise((resolve) => {
    const end = () => {
      grown.disconnect();
      clearTimeout(bound);
      window.removeEventListener("load", scroll);
      byUser.forEach((name) => window.removeEventListener(name, leave, true));
      resolve(JSON.stringify(position()));
    };
    const leave = (event) => {
      if (event.isTrusted) end();
    };
    const scroll = () => {
      const isAsWide = width === document.documentElement.clientWidth;
      const byFraction = fraction * root.scrollHeight;
      let top = isAsWide ? offset : byFraction;
      // A page as high as it was there, in a higher window: its end is as far down as it gets. A lower one may grow.
      if (!isAsWide || byFraction >= offset - 1) top = Math.min(top, root.scrollHeight - root.clientHeight);
      window.scrollTo({ top, behavior: "instant" });
      if (document.readyState === "complete" && Math.abs(window.scrollY - top) < 1) end();
    };
    const grown = new ResizeObserver(scroll);
    const bound = setTimeout(end, seconds * 1000);
    byUser.forEach((name) => window.addEventListener(name, leave, { capture: true, passive: true }));
    window.addEventListener("load", scroll);
    grown.observe(document.documentElement);
    scroll();
  });
}

// The same place is another position where the window or the page has another size.
["scroll", "resize"].forEach((name) => window.addEventListener(name, tellUnlessMadeUp, { passive: true }));
new ResizeObserver(tell).observe(ofDocument("documentElement"));
tell();
