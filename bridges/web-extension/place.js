// Runs in the pages of sites that take part, in a world of its own: the page's scripts neither see nor call what is
// here. It is put into a page at each occasion, and begins once.

(() => {
  if (globalThis.segueIsHere) return;
  globalThis.segueIsHere = true;

  const TEXT_LENGTH = 200;
  /** Where the first line of the view may be: this part of the view, from its top. */
  const TOP = 1 / 4;
  /** No longer is a page followed that grows. */
  const GROWING_TIME = 10000;
  /** What is told of scrolling: its beginning and its end, and between these once in this time. */
  const PAUSE = 500;

  // A property of the document itself: elements that a page names so would hide it.
  function ofDocument(name) {
    return Reflect.get(Document.prototype, name, document);
  }

  function root() {
    return ofDocument("scrollingElement") ?? ofDocument("documentElement");
  }

  // Where a text begins on the page, and whether it scrolls with it.

  function topOf(node, offset) {
    const range = document.createRange();
    range.setStart(node, offset);
    range.setEnd(node, Math.min(offset + 1, node.length));
    const box = range.getClientRects()[0];
    return box && box.height > 0 ? box.top : null;
  }

  function isFixed(node) {
    for (let element = node.parentElement; element; element = element.parentElement) {
      if (["fixed", "sticky"].includes(getComputedStyle(element).position)) return true;
    }
    return false;
  }

  // The first text in the view whose line is whole. Points are asked, not the page's texts, which may be any number.

  function textAtTop() {
    for (let y = 1; y < innerHeight; y += 8) {
      for (const x of [0.5, 0.25, 0.75, 0.1]) {
        const text = textAt(innerWidth * x, y);
        if (text) return text;
      }
    }
    return "";
  }

  function textAt(x, y) {
    const caret = document.caretPositionFromPoint(x, y);
    const node = caret?.offsetNode;
    if (!(node instanceof Text) || isFixed(node)) return "";
    const offset = lineStart(node, Math.min(caret.offset, node.length - 1));
    const top = offset === null ? null : topOf(node, offset);
    if (top === null || top < 0 || top > innerHeight) return "";
    return plain(node.data.slice(offset, offset + 2 * TEXT_LENGTH)).slice(0, TEXT_LENGTH).trim();
  }

  /** The first word of the text that is on the same line. */
  function lineStart(node, offset) {
    const top = topOf(node, offset);
    if (top === null) return null;
    let start = offset;
    while (start > 0) {
      const before = topOf(node, start - 1);
      if (before !== null && Math.abs(before - top) > 2) break;
      start -= 1;
    }
    return start;
  }

  function plain(text) {
    return text.replace(/\s+/g, " ").trimStart();
  }

  function place() {
    const height = root().scrollHeight;
    return {
      x: Math.max(scrollX, 0),
      y: Math.max(scrollY, 0),
      fraction: height > 0 ? Math.min(Math.max(scrollY / height, 0), 1) : 0,
      text: textAtTop(),
    };
  }

  // Back to it: where the text is, which is right in a window of any width; otherwise by the fraction.

  /** How far down the text begins: of several places the one that is nearest to `about`. */
  function find(text, about) {
    let found = null;
    const walker = document.createTreeWalker(ofDocument("documentElement"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const offset = offsetOf(text, node.data);
      if (offset === null || isFixed(node)) continue;
      const top = topOf(node, offset);
      if (top === null) continue;
      const down = top + scrollY;
      if (found === null || Math.abs(down - about) < Math.abs(found - about)) found = down;
    }
    return found;
  }

  /** Where in `data` the text begins, whatever space is between the words. */
  function offsetOf(text, data) {
    if (data.length < text.length) return null;
    const direct = data.indexOf(text);
    if (direct >= 0) return direct;
    let plainText = "";
    const offsets = [];
    for (let index = 0; index < data.length; index += 1) {
      const isSpace = /\s/.test(data[index]);
      if (isSpace && (plainText === "" || plainText.endsWith(" "))) continue;
      plainText += isSpace ? " " : data[index];
      offsets.push(index);
    }
    const index = plainText.indexOf(text);
    return index >= 0 ? offsets[index] : null;
  }

  /** Where to scroll to, and whether that is the place, as far as this page can say. */
  function target(wanted) {
    const height = root().scrollHeight;
    const y = Number.isFinite(wanted.y) ? Math.max(wanted.y, 0) : null;
    const fraction = Number.isFinite(wanted.fraction) ? Math.min(Math.max(wanted.fraction, 0), 1) : null;
    const about = fraction === null ? (y ?? 0) : fraction * height;
    const text = typeof wanted.text === "string" ? plain(wanted.text).slice(0, TEXT_LENGTH).trim() : "";
    const byText = text ? find(text, about) : null;
    if (byText !== null) {
      // Where the page is laid out as it was there, the place is known to the pixel.
      const isAsThere = y !== null && byText >= y - 1 && byText - y <= innerHeight * TOP;
      return { top: isAsThere ? y : byText, isSure: true };
    }
    // A page that is less high than it was there may grow.
    return { top: about, isSure: !y || !fraction || height >= y / fraction - 1 };
  }

  /** Scrolls there, and gives true when the page has been loaded. One that may still grow is followed for a time, but
   *  not once the user has begun to scroll. */
  function go(wanted) {
    const byUser = ["wheel", "keydown", "pointerdown", "touchstart"];
    return new Promise((resolve) => {
      const end = () => {
        grown.disconnect();
        clearTimeout(bound);
        removeEventListener("load", scroll);
        byUser.forEach((name) => removeEventListener(name, leave, true));
        resolve(true);
      };
      const leave = (event) => {
        if (event.isTrusted) end();
      };
      const scroll = () => {
        const { top, isSure } = target(wanted);
        const left = Number.isFinite(wanted.x) ? Math.max(wanted.x, 0) : 0;
        scrollTo({ top, left, behavior: "instant" });
        if (ofDocument("readyState") !== "complete") return;
        if (isSure) end();
        else resolve(true);
      };
      const grown = new ResizeObserver(scroll);
      const bound = setTimeout(end, GROWING_TIME);
      byUser.forEach((name) => addEventListener(name, leave, { capture: true, passive: true }));
      addEventListener("load", scroll);
      grown.observe(ofDocument("documentElement"));
      scroll();
    });
  }

  // Telling

  let isPausing = false;
  let isUntold = false;

  // The page's scripts may make up any number of such events.
  function moved(event) {
    if (!event.isTrusted) return;
    if (isPausing) isUntold = true;
    else tell();
  }

  function tell() {
    // An extension that was removed, or replaced, leaves this behind.
    if (!chrome.runtime?.id) {
      removeEventListener("scroll", moved);
      return;
    }
    chrome.runtime.sendMessage({ type: "moved" }).catch(() => {});
    isPausing = true;
    isUntold = false;
    setTimeout(() => {
      isPausing = false;
      if (isUntold) tell();
    }, PAUSE);
  }

  addEventListener("scroll", moved, { passive: true });
  chrome.runtime.onMessage.addListener((message, sender, answer) => {
    if (sender.id !== chrome.runtime.id) return false;
    if (message?.type === "where") answer(place());
    if (message?.type !== "go") return false;
    go(message.place).then(answer);
    return true;
  });
})();
