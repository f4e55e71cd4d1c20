// Runs in every page, in a world of its own: the page's scripts neither see nor call this code.

// Finding the words at the top takes a while: they are reported when the page has not moved for so many milliseconds.
const pause = 100;
let resting = 0;

function rootElement() {
  return ofDocument("scrollingElement") || ofDocument("documentElement");
}

function position({ text, below }) {
  const root = rootElement();
  return {
    offset: window.scrollY,
    fraction: root.scrollHeight > 0 ? Math.min(window.scrollY / root.scrollHeight, 1) : 0,
    width: ofDocument("documentElement").clientWidth,
    left: window.scrollX,
    text,
    below,
  };
}

const noText = { text: "", below: 0 };

function positionAtRest() {
  return position(window.scrollY > 0 ? textAtTop() : noText);
}

function post(position) {
  window.webkit.messageHandlers.position.postMessage(JSON.stringify(position));
}

function tell() {
  post(position(noText));
  clearTimeout(resting);
  if (window.scrollY > 0) resting = setTimeout(() => post(positionAtRest()), pause);
}

// WebKit sends the event once for each frame; the page's scripts may make up any number of such events.
function tellUnlessMadeUp(event) {
  if (event.isTrusted) tell();
}

// Where to scroll to, and whether that is the place, as far as this page can say now.
function placeOf({ offset, fraction, width, text, below }) {
  const root = rootElement();
  const lowest = root.scrollHeight - root.clientHeight;
  const byFraction = fraction > 0 ? fraction * root.scrollHeight : offset;
  // A lower page may grow. In a higher window the end of a page is the lowest place that can be reached.
  const isAsHigh = byFraction >= offset - 1;
  if (width === ofDocument("documentElement").clientWidth) {
    return { top: isAsHigh ? Math.min(offset, lowest) : offset, isSure: true };
  }
  // An offset of 0 is the top of the page, whatever text is the first there.
  if (fraction === 0 && offset === 0 && below >= 0) return { top: 0, isSure: true };
  const about = byFraction + (below < 0 ? 0 : below);
  const byText = text ? findText(text, about) : null;
  if (byText === null) return { top: Math.min(byFraction, lowest), isSure: width > 0 || isAsHigh };
  // If the page is laid out as it was there, the place is known to the pixel.
  const from = below < 0 ? byText : byText - Math.min(below, innerHeight - 1);
  const isAsThere = below < 0
    ? byText >= offset - 1 && byText - offset <= innerHeight * topPart
    : Math.abs(from - offset) <= 2;
  return { top: Math.max(Math.min(isAsThere ? offset : from, lowest), 0), isSure: true };
}

// Scrolls there, and gives the position that was reached. The page may still grow: until it is high enough, and has
// been loaded, it is scrolled again; but no longer than that many seconds, and not once the user has begun to scroll.
function restorePosition(wanted, seconds) {
  const byUser = ["wheel", "keydown", "pointerdown", "touchstart"];
  return new Promise((resolve) => {
    const reached = () => resolve(JSON.stringify(positionAtRest()));
    const end = () => {
      grown.disconnect();
      clearTimeout(bound);
      window.removeEventListener("load", scroll);
      byUser.forEach((name) => window.removeEventListener(name, leave, true));
      reached();
    };
    const leave = (event) => {
      if (event.isTrusted) end();
    };
    const scroll = () => {
      const { top, isSure } = placeOf(wanted);
      window.scrollTo({ top, left: wanted.left, behavior: "instant" });
      if (ofDocument("readyState") !== "complete" || Math.abs(window.scrollY - top) >= 1) return;
      // Other browsers do not say how wide the page was: it may never be as high as it was there.
      if (isSure) end();
      else reached();
    };
    const grown = new ResizeObserver(scroll);
    const bound = setTimeout(end, seconds * 1000);
    byUser.forEach((name) => window.addEventListener(name, leave, { capture: true, passive: true }));
    window.addEventListener("load", scroll);
    grown.observe(ofDocument("documentElement"));
    scroll();
  });
}

// The same place is another position where the window or the page has another size.
["scroll", "resize"].forEach((name) => window.addEventListener(name, tellUnlessMadeUp, { passive: true }));
new ResizeObserver(tell).observe(ofDocument("documentElement"));
tell();
