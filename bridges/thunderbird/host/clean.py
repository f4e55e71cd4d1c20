"""HTML of another device's draft: what is not in these lists is left out, so that nothing of it loads, runs or leaves the
page. Thunderbird sets what it is given as it is, and would load pictures of it. Each character is looked at a few times
at most, however broken the text is."""

import html
import re

#: Elements inside of each other; those that are further in are left out, and not what they hold.
MOST_NESTED = 100
#: Elements that are kept, and of which neither they nor what is inside of them is.
_KEPT = frozenset(
    "p br div span pre code tt kbd samp b strong i em u s strike del ins small big sub sup font center blockquote ul ol li dl "
    "dt dd h1 h2 h3 h4 h5 h6 hr a table thead tbody tfoot tr td th caption".split())
_DROPPED = frozenset(
    "head title script style noscript template iframe frameset object applet svg math textarea select audio video xmp "
    "noembed noframes plaintext".split())
_EMPTY = frozenset(("br", "hr"))
#: Attributes that are kept, with what their values look like.
_NUMBER = r"\d{1,4}%?"
_WORD = r"[A-Za-z0-9 -]{1,100}"
_ATTRIBUTES = {
    "href": r"(?i:https?://|mailto:)[^\s\x00-\x20\x7f<>\"'\\]{1,2000}", "dir": r"(?i:ltr|rtl|auto)", "type": _WORD,
    "start": _NUMBER, "colspan": _NUMBER, "rowspan": _NUMBER, "width": _NUMBER, "border": _NUMBER, "cellpadding": _NUMBER,
    "cellspacing": _NUMBER, "align": _WORD, "valign": _WORD, "color": r"#?[A-Za-z0-9]{1,30}", "size": r"[+-]?\d",
    "face": r"[A-Za-z0-9 ,-]{1,200}", "class": r"moz-[a-z -]{1,60}",
}
#: Properties of style, and their values: nothing in brackets but a colour.
_STYLES = frozenset(
    "color background-color font-weight font-style font-size font-family text-align text-decoration white-space "
    "margin margin-left margin-top margin-bottom padding padding-left list-style-type vertical-align".split())
_VALUE = re.compile(r"(?:[A-Za-z0-9#%., +\"-]|rgba?\([0-9., %]{1,40}\)){1,100}")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_NAME = re.compile(r"</?([A-Za-z0-9]{1,20})(?=[\s/>])")
_MARK = re.compile(r"[>\"']")
_ATTRIBUTE = re.compile(r"(?<![A-Za-z-])([A-Za-z]{1,20})\s{0,4}=\s{0,4}(\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+)")
#: Characters of a tag with attributes that are kept.
_LONGEST_TAG = 4096


def clean(text):
    """The same, of the elements and attributes above alone, each of them closed."""
    return _Cleaner(_CONTROLS.sub("", text.replace("\r\n", "\n"))).run()


class _Cleaner:
    def __init__(self, text):
        self.text = text
        self.written = []
        self.open = []
        #: Whether a quotation mark had no end: marks do not count from there on.
        self.is_broken = False

    def run(self):
        at = 0
        while at < len(self.text):
            tag = self.text.find("<", at)
            self.write(self.text[at:tag] if tag >= 0 else self.text[at:])
            if tag < 0:
                break
            at = self.after(tag)
        self.written += [f"</{name}>" for name in reversed(self.open)]
        return "".join(self.written).strip()

    def write(self, text):
        self.written.append(html.escape(html.unescape(text), quote=False))

    def after(self, at):
        """Where what begins with this bracket ends."""
        if self.text.startswith("<!--", at):
            return self.end("-->", at + 4)
        if self.text[at + 1:at + 2] in ("!", "?"):
            return self.end(">", at)
        if not re.match(r"/?[A-Za-z]", self.text[at + 1:at + 3]):
            self.write("<")
            return at + 1
        last = self.last(at)
        if last < 0:
            self.is_broken = True
            return self.end(">", at)
        found = _NAME.match(self.text, at)
        name = found[1].lower() if found else ""
        if self.text[at + 1] == "/":
            self.close(name)
        elif name in _DROPPED:
            over = re.compile(r"</head|<body" if name == "head" else f"</{name}", re.IGNORECASE).search(self.text, last)
            return over.start() if over else len(self.text)
        elif name in _KEPT and len(self.open) < MOST_NESTED:
            attributes = self.text[found.end():last] if last - at <= _LONGEST_TAG else ""
            self.written.append(f"<{name}{''.join(map(_attribute, _ATTRIBUTE.findall(attributes)))}>")
            if name not in _EMPTY:
                self.open.append(name)
        return last + 1

    def last(self, at):
        """Where the bracket is that ends this tag, outside of quotation marks; -1 where there is none."""
        while not self.is_broken and (found := _MARK.search(self.text, at)):
            if found[0] == ">":
                return found.start()
            at = self.text.find(found[0], found.end()) + 1
            if not at:
                break
        return -1

    def end(self, what, at):
        found = self.text.find(what, at)
        return len(self.text) if found < 0 else found + len(what)

    def close(self, name):
        while name in self.open:
            inner = self.open.pop()
            self.written.append(f"</{inner}>")
            if inner == name:
                break


def _attribute(item):
    name, value = item[0].lower(), html.unescape(item[1])
    if value[:1] in ("\"", "'"):
        value = value[1:-1]
    if name == "style":
        value = _style(value)
        return f' style="{html.escape(value)}"' if value else ""
    form = _ATTRIBUTES.get(name)
    return f' {name}="{html.escape(value)}"' if form and re.fullmatch(form, value) else ""


def _style(text):
    kept = []
    for line in text[:1000].split(";"):
        name, _, value = (part.strip() for part in line.partition(":"))
        if name.lower() in _STYLES and _VALUE.fullmatch(value):
            kept.append(f"{name.lower()}: {value}")
    return "; ".join(kept)
