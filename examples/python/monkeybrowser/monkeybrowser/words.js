// Runs in every page before position.js, in the same world: reads the words at the top of the view and how far down
// they are, and finds such words again. Other browsers name a place by these words, and find it in a window of any
// width.

const longestText = 200;
// A text of this length hardly occurs twice: a longer text further down is preferred to a shorter one.
const tellingText = 40;
// The first line of the view is searched in this part of the view, from its top.
const topPart = 1 / 4;
// The beginning of a line is searched so many characters back.
const longestLine = 4096;

// Reads a property of the document itself, which elements with that name in a page would hide.
function ofDocument(name) {
  return Reflect.get(Document.prototype, name, document);
}

// The distance from the view's top down to the character; null if the character is not laid out.
function topOf(node, offset) {
  const range = new Range();
  range.setStart(node, offset);
  range.setEnd(node, Math.min(offset + 1, node.length));
  const box = range.getClientRects()[0];
  return box && box.height > 0 ? box.top : null;
}

function scrollsWithPage(node) {
  for (let element = node.parentElement; element; element = element.parentElement) {
    if (["fixed", "sticky"].includes(getComputedStyle(element).position)) return false;
  }
  return true;
}

// The lower edge of a bar that stays at the top of the view, and covers the text there.
function barBottom() {
  let bottom = 0;
  for (const part of [0.25, 0.5, 0.75]) {
    let element = Document.prototype.elementFromPoint.call(document, innerWidth * part, 1);
    for (; element; element = element.parentElement) {
      const isFixed = ["fixed", "sticky"].includes(getComputedStyle(element).position);
      const box = element.getBoundingClientRect();
      // An element that fills the view is no bar.
      if (isFixed && box.top <= 1 && box.bottom <= innerHeight / 2) bottom = Math.max(bottom, box.bottom);
    }
  }
  return bottom;
}

// The first character on the same line, found by bisection, since a text may have any number of lines.
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
  let before = Math.max(offset - longestLine, 0);
  if (isOnLine(before)) return before;
  let start = offset;
  while (start - before > 1) {
    const middle = (before + start) >> 1;
    if (isOnLine(middle)) start = middle;
    else before = middle;
  }
  return start;
}

function textAt(x, y, bar) {
  const caret = Document.prototype.caretRangeFromPoint.call(document, x, y);
  const node = caret && caret.startContainer;
  if (!(node instanceof Text) || !scrollsWithPage(node)) return null;
  const offset = lineStart(node, Math.min(caret.startOffset, node.length - 1));
  const top = offset === null ? null : topOf(node, offset);
  // A view comes to rest between two pixels.
  if (top === null || top < bar - 1 || top > innerHeight) return null;
  const data = node.data.slice(offset, offset + 2 * longestText).replace(/\s+/g, " ");
  const text = data.trimStart().slice(0, longestText).trimEnd();
  return text ? { text, below: Math.max(top, 0) } : null;
}

// The text of the first whole line in the view, and how far down it is, since a picture may be above it. The search
// asks for the elements at points, since a page may have any number of texts.
function textAtTop() {
  const bar = barBottom();
  let first = null;
  for (let y = bar + 1; y < innerHeight; y += 8) {
    for (const part of [0.5, 0.25, 0.75, 0.1]) {
      const found = textAt(innerWidth * part, y, bar);
      first = first || found;
      if (found && found.text.length >= tellingText) return found;
    }
    if (first && y > first.below + innerHeight * topPart) break;
  }
  return first || { text: "", below: 0 };
}

// How far down the page the text begins, whatever white space is between its words; if it occurs several times, the
// place nearest to `about`.
function findText(text, about) {
  const words = text.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(words.join("\\s+"), "g");
  const root = ofDocument("documentElement");
  const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_TEXT);
  let found = null;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    for (const { index } of node.data.matchAll(pattern)) {
      const top = scrollsWithPage(node) ? topOf(node, index) : null;
      if (top === null) continue;
      const down = top + scrollY;
      if (found === null || Math.abs(down - about) < Math.abs(found - about)) found = down;
    }
  }
  return found;
}
