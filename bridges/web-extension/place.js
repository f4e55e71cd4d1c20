// Runs in the pages of sites that take part, in a world of its own: the page's scripts neither see nor call this code.
// It may be put into a page several times, and begins once.

(() => {
  if (globalThis.segueIsHere) return;
  globalThis.segueIsHere = true;

  const TEXT_LENGTH = 200;
  /** A text of this length hardly occurs twice. */
  const TELLING_LENGTH = 40;
  /** The search for the text at the top ends after so many milliseconds; the place is then reported without it. */
  const TEXT_TIME = 300;
  /** The beginning of a line is searched so many characters back. */
  const LINE_LENGTH = 4096;
  /** The part of the view in which the first line is searched, if its distance from the top is not known. */
  const TOP = 1 / 4;
  /** How long a growing page is followed; and how long it must not have grown to count as complete. */
  const GROWING_TIME = 10000;
  const GROWN_TIME = 1500;
  /** A page whose height is below this part of its height there is not complete: a feed loads more at its end. */
  const PART = 3 / 4;
  /** In another width the same content is at most so many times as high. */
  const MOST = 2;
  /** Scrolling is reported at its beginning, at its end, and in between once in so many milliseconds. */
  const PAUSE = 500;

  // Reads a property of the document itself, which elements with that name in a page would hide.
  function ofDocument(name) {
    return Reflect.get(Document.prototype, name, document);
  }

  function root() {
    return ofDocument("scrollingElement") ?? ofDocument("documentElement");
  }

  // The place of a text in the view, and the element that scrolls it.

  function boxOf(node, offset) {
    const range = document.createRange();
    range.setStart(node, offset);
    range.setEnd(node, Math.min(offset + 1, node.length));
    const box = range.getClientRects()[0];
    return box && box.height > 0 ? box : null;
  }

  function topOf(node, offset) {
    return boxOf(node, offset)?.top ?? null;
  }

  function ancestors(node) {
    const found = [];
    for (let element = node.parentElement; element; element = element.parentElement) found.push(element);
    return found;
  }

  function isScroller(element) {
    if (element === root() || element.scrollHeight <= element.clientHeight) return false;
    return ["auto", "scroll"].includes(getComputedStyle(element).overflowY);
  }

  function isFixed(element) {
    return ["fixed", "sticky"].includes(getComputedStyle(element).position);
  }

  /** The elements that scroll the text within the page, innermost first; null if the text stays fixed in the view. */
  function scrollersOf(node) {
    const found = [];
    for (const element of ancestors(node)) {
      if (isScroller(element)) found.push(element);
      if (isFixed(element)) return found.length > 0 ? found : null;
    }
    return found;
  }

  /** The lower edge of a bar that stays at the top of the view, and covers the text there. */
  function barBottom() {
    let bottom = 0;
    for (const part of [0.25, 0.5, 0.75]) {
      const element = document.elementFromPoint(innerWidth * part, 1);
      for (let one = element; one; one = one.parentElement) {
        const box = one.getBoundingClientRect();
        // An element that fills the view is no bar.
        if (isFixed(one) && box.top <= 1 && box.bottom <= innerHeight / 2) bottom = Math.max(bottom, box.bottom);
      }
    }
    return bottom;
  }

  // The first text in the view whose line is whole. The search asks for the elements at points, since a page may have
  // any number of texts.

  /** {text, below}: `below` is how far down in the view the text is, since a picture or a player may be above it. */
  function textAtTop() {
    const end = performance.now() + TEXT_TIME;
    const bar = barBottom();
    let first = null;
    for (let y = bar + 1; y < innerHeight; y += 8) {
      for (const x of [0.5, 0.25, 0.75, 0.1]) {
        const found = textAt(innerWidth * x, y, bar);
        first ??= found;
        // A short text, such as a line's end or "Reply", may occur anywhere: a longer one below it is more specific.
        if (found && found.text.length >= TELLING_LENGTH) return found;
        if (performance.now() > end || (first && y > first.below + innerHeight * TOP)) return first ?? {};
      }
    }
    return first ?? {};
  }

  function textAt(x, y, bar) {
    const caret = document.caretPositionFromPoint(x, y);
    const node = caret?.offsetNode;
    if (!(node instanceof Text) || scrollersOf(node) === null) return null;
    const offset = lineStart(node, Math.min(caret.offset, node.length - 1));
    const top = offset === null ? null : topOf(node, offset);
    if (top === null || top < bar || top > innerHeight) return null;
    const text = plain(node.data.slice(offset, offset + 2 * TEXT_LENGTH)).slice(0, TEXT_LENGTH).trim();
    return text ? { text, below: top } : null;
  }

  /** The first character on the same line, found by bisection, since a text may have any number of lines. */
  function lineStart(node, offset) {
    const top = topOf(node, offset);
    if (top === null) return null;
    const isOnLine = (index) => {
      // A character that is not laid out, such as the space at a line break, belongs to the one that follows.
      for (; index < offset; index += 1) {
        const other = topOf(node, index);
        if (other !== null) return Math.abs(other - top) <= 2;
      }
      return true;
    };
    let before = Math.max(offset - LINE_LENGTH, 0);
    if (isOnLine(before)) return before;
    let start = offset;
    while (start - before > 1) {
      const middle = (before + start) >> 1;
      if (isOnLine(middle)) start = middle;
      else before = middle;
    }
    return start;
  }

  function plain(text) {
    return text.replace(/\s+/g, " ").trimStart();
  }

  function numbers() {
    const height = root().scrollHeight;
    return {
      x: Math.max(scrollX, 0),
      y: Math.max(scrollY, 0),
      fraction: height > 0 ? Math.min(Math.max(scrollY / height, 0), 1) : 0,
    };
  }

  function place() {
    return { ...numbers(), ...textAtTop() };
  }

  // Going back to a place: to the text, which is right in a window of any width; otherwise by the fraction.

  /** {node, offset, down} of the text; if it occurs several times, of the place nearest to `about`. `down` is how far
   *  down the page it begins. */
  function find(text, about) {
    const words = text.split(" ").map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = new RegExp(words.join("\\s+"), "g");
    let found = null;
    const walker = document.createTreeWalker(ofDocument("documentElement"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      for (const { index } of node.data.matchAll(pattern)) {
        const scrollers = scrollersOf(node);
        const top = scrollers === null ? null : topOf(node, index);
        if (top === null) continue;
        const down = scrollers.reduce((sum, one) => sum + one.scrollTop, top + scrollY);
        if (found === null || Math.abs(down - about) < Math.abs(found.down - about)) {
          found = { node, offset: index, down, scrollers };
        }
      }
    }
    return found;
  }

  /** The wanted place, without members that are malformed. */
  function read(wanted) {
    const number = (value, least, most) => (Number.isFinite(value) ? Math.min(Math.max(value, least), most) : null);
    return {
      x: number(wanted.x, 0, Infinity) ?? 0,
      y: number(wanted.y, 0, Infinity),
      fraction: number(wanted.fraction, 0, 1),
      text: typeof wanted.text === "string" ? plain(wanted.text).slice(0, TEXT_LENGTH).trim() : "",
      below: number(wanted.below, 0, innerHeight - 1),
    };
  }

  /** Scrolls to the place. Returns "there" if that is the place, "near" if the page may still grow, and "part" if it is
   *  so low that it must grow: then it scrolls to the end. `isFeed`: the page has grown after that. */
  function approach({ x, y, fraction, text, below }, isLast, isFeed) {
    const to = (top) => scrollTo({ top, left: x, behavior: "instant" });
    const height = root().scrollHeight;
    const about = fraction === null ? (y ?? 0) : fraction * height;
    const found = text ? find(text, about + (below ?? 0)) : null;
    if (found !== null) {
      goTo(found, { y, about, below }, to);
      return "there";
    }
    const heightThere = y && fraction ? y / fraction : 0;
    const isPart = text !== "" && height < heightThere * (isFeed ? MOST : PART);
    to(isPart && !isLast && ofDocument("readyState") === "complete" ? height : about);
    if (isPart) return "part";
    return height >= heightThere - 1 ? "there" : "near";
  }

  function goTo({ node, offset, down, scrollers }, { y, about, below }, to) {
    const top = () => topOf(node, offset) ?? 0;
    if (scrollers.length > 0) {
      to(y ?? about);
      for (const one of scrollers) one.scrollBy({ top: top() - (below ?? 0), behavior: "instant" });
    } else if (y === 0) {
      // A place at 0 is the top of the page, whatever is above the text.
      to(0);
    } else {
      // If the page is laid out as it was there, the place is known to the pixel.
      const isAsThere = y !== null && (below === null
        ? down >= y - 1 && down - y <= innerHeight * TOP
        : Math.abs(down - below - y) <= 2);
      to(isAsThere ? y : down - (below ?? 0));
    }
    // A bar that is higher here than there, or exists only here, would cover the text.
    const covered = barBottom() - top();
    const mover = scrollers[0] ?? window;
    if (covered > 0 && covered < innerHeight / 2) mover.scrollBy({ top: -covered, behavior: "instant" });
  }

  /** Scrolls to the place, and resolves to true when the page is loaded. A page that may still grow is followed for a
   *  time, until the user begins to scroll. */
  function go(told) {
    const wanted = read(told);
    const byUser = ["wheel", "keydown", "pointerdown", "touchstart"];
    return new Promise((resolve) => {
      let grownBound = null;
      let isFeed = false;
      const end = () => {
        grown.disconnect();
        clearTimeout(bound);
        clearTimeout(grownBound);
        removeEventListener("load", scroll);
        byUser.forEach((name) => removeEventListener(name, leave, true));
        resolve(true);
      };
      const leave = (event) => {
        if (event.isTrusted) end();
      };
      const settle = () => {
        approach(wanted, true, isFeed);
        end();
      };
      const scroll = () => {
        const reached = approach(wanted, false, isFeed);
        clearTimeout(grownBound);
        if (ofDocument("readyState") !== "complete") return;
        isFeed = reached === "part";
        if (reached === "there") end();
        else resolve(true);
        if (reached === "part") grownBound = setTimeout(settle, GROWN_TIME);
      };
      const grown = new ResizeObserver(scroll);
      const bound = setTimeout(settle, GROWING_TIME);
      byUser.forEach((name) => addEventListener(name, leave, { capture: true, passive: true }));
      addEventListener("load", scroll);
      grown.observe(ofDocument("documentElement"));
      scroll();
    });
  }

  // Reporting

  let isPausing = false;
  let isUntold = false;

  // The page's scripts may make up any number of such events.
  function moved(event) {
    if (!event.isTrusted) return;
    if (isPausing) isUntold = true;
    else tell();
  }

  function tell() {
    // This script outlives an extension that was removed or replaced.
    if (!chrome.runtime?.id) {
      removeEventListener("scroll", moved, true);
      return;
    }
    chrome.runtime.sendMessage({ type: "moved", place: numbers() }).catch(() => {});
    isPausing = true;
    isUntold = false;
    setTimeout(() => {
      isPausing = false;
      if (isUntold) tell();
    }, PAUSE);
  }

  // In the capture phase, since scroll events of elements within the page do not bubble.
  addEventListener("scroll", moved, { capture: true, passive: true });
  chrome.runtime.onMessage.addListener((message, sender, answer) => {
    if (sender.id !== chrome.runtime.id) return false;
    if (message?.type === "where") answer(place());
    if (message?.type !== "go") return false;
    go(message.place).then(answer);
    return true;
  });
})();
