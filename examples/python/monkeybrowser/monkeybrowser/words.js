// Runs in every page before position.js, in the same world: which words stand at the top of the view, and where such
// words are. Other browsers say a place by these, and they find it in a window of any width.

const longestText = 200;
// Where the first line of the view may be: this part of the view, from its top.
const topPart = 1 / 4;

// A property of the document itself: elements that a page names so would hide it.
function ofDocument(name) {
  return Reflect.get(Document.prototype, name, document);
}

// Of the view, down to where the character is; nothing where it is not laid out.
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

// The first character of the text that is on the same line.
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

function textAt(x, y) {
  const caret = Document.prototype.caretRangeFromPoint.call(document, x, y);
  const node = caret && caret.startContainer;
  if (!(node instanceof Text) || !scrollsWithPage(node)) return "";
  const offset = lineStart(node, Math.min(caret.startOffset, node.length - 1));
  const top = offset === null ? null : topOf(node, offset);
  // A view comes to rest between two pixels.
  if (top === null || top < -1 || top > innerHeight) return "";
  const text = node.data.slice(offset, offset + 2 * longestText).replace(/\s+/g, " ");
  return text.trimStart().slice(0, longestText).trimEnd();
}

// Of the first line in the view that is whole. Points are asked, not the page's texts, which may be any number.
function textAtTop() {
  for (let y = 1; y < innerHeight; y += 8) {
    for (const part of [0.5, 0.25, 0.75, 0.1]) {
      const text = textAt(innerWidth * part, y);
      if (text) return text;
    }
  }
  return "";
}

// How far down the page the text begins, whatever space is between its words: of several places the one that is
// nearest to `about`.
function findText(text, about) {
  const words = text.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(words.join("\\s+"));
  const root = ofDocument("documentElement");
  const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_TEXT);
  let found = null;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const offset = node.data.search(pattern);
    const top = offset >= 0 && scrollsWithPage(node) ? topOf(node, offset) : null;
    if (top === null) continue;
    const down = top + scrollY;
    if (found === null || Math.abs(down - about) < Math.abs(found - about)) found = down;
  }
  return found;
}
