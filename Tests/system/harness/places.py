"""A web server with pages on which it can be seen, by colours, where somebody is: each paragraph has one of its own."""

import colorsys
import html
import http.server
import threading
import urllib.parse

#: A page's paragraphs.
PARAGRAPHS = 300
#: A text of which no part occurs twice.
WORDS = "Fox {0} jumps over dog {0}, whom cat {0} has seen, and is gone by line {0} of this page about animal {0}. "
STYLE = "body { font: 16px/24px sans-serif; margin: 0 } p { margin: 0; padding: 0 0 16px 80px }"
#: The style and the content that a page has in addition, by its name.
PARTS = {
    "plain": ("", ""),
    # The content at the top is no text.
    "player": ("", "<div style='height: 404px; background: #000'></div>"),
    "picture": ("p:nth-of-type(100) { padding-top: 500px }", ""),
    "bar": ("body { padding-top: 90px } header { position: fixed; top: 0; left: 80px; right: 0; height: 90px;"
            "background: #fff }", "<header>A bar that stays where it is, with text in it</header>"),
    "scroller": ("html, body { height: 100%; overflow: hidden } main { height: 100%; overflow: auto }", ""),
}
#: More comes when its end is in the view.
FEED = """<script>
  let next = %d;
  const paragraphs = %s;
  const more = () => {
    if (scrollY + innerHeight < document.documentElement.scrollHeight - 100) return;
    document.querySelector("main").insertAdjacentHTML("beforeend", paragraphs.slice(next, next + 50).join(""));
    next += 50;
  };
  addEventListener("scroll", () => setTimeout(more, 50));
</script>"""


def colour(number):
    """The colour of a paragraph, which differs much from its neighbours'."""
    red, green, blue = colorsys.hsv_to_rgb(number * 0.381966 % 1, 0.35 + 0.05 * (number % 8), 1 - 0.04 * (number % 5))
    return tuple(round(part * 255) for part in (red, green, blue))


def paragraph(number):
    background = "#%02x%02x%02x" % colour(number)
    sentences = "".join(WORDS.format(f"{number}.{part}") for part in range(1, 2 + number % 4))
    return f"<p style='background: {background}'>{sentences}</p>"


def page(name):
    style, above = PARTS.get(name, PARTS["plain"])
    paragraphs = [paragraph(number) for number in range(1, PARAGRAPHS + 1)]
    end = ""
    if name == "novel":
        # One text, of 3,000 lines in a window of 1,000 pixels.
        paragraphs = ["<p>" + "".join(WORDS.format(number) for number in range(1, 3301))]
    if name == "feed":
        end = FEED % (50, paragraphs)
        paragraphs = paragraphs[:50]
    return (f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(name)}</title>"
            f"<style>{STYLE} {style}</style>{above}<main>{''.join(paragraphs)}</main>{end}")


def lines():
    """A text of 3,000 lines, and no page."""
    return "".join(f"{WORDS.format(number)}\n" for number in range(1, 3001))


class Places:
    """The server: /NAME is the page of that name, /lines the text."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                name = urllib.parse.unquote(self.path.lstrip("/"))
                if name == "lines":
                    kind, body = "plain", lines()
                else:
                    kind, body = "html", page(name)
                data = body.encode()
                self.send_response(200)
                self.send_header("Content-Type", f"text/{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, name):
        return f"http://localhost:{self.port}/{name}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
