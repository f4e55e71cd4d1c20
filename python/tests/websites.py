"""A web server with pages that tell it which browser shows them, and where they are scrolled to, as real pages do."""

from __future__ import annotations

import collections
import http.server
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from harness.bounds import SECONDS

PAGE = """<!doctype html>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body {{ font: 16px/24px serif; margin: 12px }}</style>
<h1>{title}</h1>
<p><a href="#part">To a part of it</a></p>
<div id="text">{text}</div>
<script>{script}</script>
"""
#: The script at the end of each page.
BEACON = """<script>
  // WebKit computes performance.timeOrigin anew each time: it says another one where it was interrupted meanwhile.
  const begun = Date.now();
  let count = 0;
  const tell = () => fetch(location.origin + "/seen", { method: "POST", keepalive: true, body: JSON.stringify({
    order: [begun, ++count],
    screen: screen.width,
    page: location.pathname + location.search + location.hash,
    offset: scrollY,
    bottom: scrollY + innerHeight,
    height: document.documentElement.scrollHeight,
    width: document.documentElement.clientWidth,
    focus: document.hasFocus(),
    typed: [...document.querySelectorAll("textarea, input")].map((field) => field.value),
    first: [...document.querySelectorAll("p")].findIndex((line) => line.getBoundingClientRect().bottom > 0),
  }) });
  addEventListener("scroll", tell);
  addEventListener("load", tell);
  ["hashchange", "focus", "blur", "input"].forEach((name) => addEventListener(name, tell));
</script>
"""
#: The rest of the page comes once the server lets it come.
GROWING = """
  fetch(location.origin + "/rest").then((answer) => answer.text()).then((text) => {
    document.querySelector("#text").innerHTML += text;
    document.title = "Grown";
    tell();
  });
"""
LINKS = """
<p><a href="mailto:somebody@example.org">To somebody</a>
<p><a href="/one" target="_blank">In another window</a>
"""
FORM = """
<form action="/sent">
<p><textarea name="text" autofocus></textarea>
<p><input name="secret" type="password">
<p><input name="line"> <input name="line">
</form>
"""
WORDS = "A monkey that has found a good tree stays there, reads on, and goes on where it was. " * 2


def lines(count: int, start: int = 0) -> str:
    return "".join(f"<p>{number}. {WORDS}" for number in range(start, start + count))


class Website:
    def __init__(self, pages: Mapping[str, str] = {}, port: int = 0) -> None:
        """Starts the server; `pages` has the content of further addresses.

        /broken answers nothing, /redirect/URL leads to a URL, /file is to be stored, /slow begins once the rest of
        pages may come, and /endless ends then."""
        self.pages = pages
        self._changed = threading.Condition()
        #: The last message of each screen, by its width.
        self._seen: dict[int, Any] = {}
        self._asked: collections.Counter[str] = collections.Counter()
        self._is_complete = threading.Event()
        website = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                website.get(self)

            def do_POST(self) -> None:
                website.tell(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.address = f"http://localhost:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def get(self, request: Any) -> None:
        path = urlsplit(request.path).path
        with self._changed:
            self._asked[path] += 1
            self._changed.notify_all()
        if path == "/rest":
            self._is_complete.wait(SECONDS)
            body = lines(100, 5)
        elif path == "/growing":
            body = PAGE.format(title="Growing", text=lines(5), script=GROWING)
        elif path == "/slow":
            self._is_complete.wait(SECONDS)
            body = PAGE.format(title="Slow", text=lines(200), script="")
        elif path in self.pages:
            body = self.pages[path]
        elif path == "/broken":
            request.close_connection = True
            return
        elif path.startswith("/redirect/"):
            request.send_response(302)
            request.send_header("Location", path.removeprefix("/redirect/"))
            request.end_headers()
            return
        elif path == "/links":
            body = PAGE.format(title="Links", text=LINKS, script="")
        elif path == "/form":
            body = PAGE.format(title="Form", text=FORM, script="")
        elif path == "/file":
            self.send_file(request)
            return
        else:
            body = PAGE.format(title=path.strip("/").capitalize(), text=lines(200), script="")
        try:
            request.send_response(200)
            request.send_header("Content-Type", "text/html; charset=utf-8")
            request.end_headers()
            request.wfile.write((body if path == "/rest" else body + BEACON).encode())
            if path == "/endless":
                # The page goes on until the rest of pages may come.
                while not self._is_complete.wait(0.1):
                    request.wfile.write(b"<!-- and so on -->\n")
        except (BrokenPipeError, ConnectionResetError):
            pass  # The browser has ended.

    def send_file(self, request: Any) -> None:
        body = b"What nobody asked for."
        request.send_response(200)
        request.send_header("Content-Type", "application/octet-stream")
        request.send_header("Content-Disposition", 'attachment; filename="unwanted.bin"')
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def tell(self, what: Any) -> None:
        with self._changed:
            before = self._seen.get(what["screen"])
            if before is not None and before["order"] > what["order"]:
                return  # Each message comes on a connection of its own, and may overtake others.
            self._seen[what["screen"]] = what
            self._changed.notify_all()

    def asked(self, path: str) -> None:
        """Waits until a browser asks for such a page."""
        with self._changed:
            assert self._changed.wait_for(lambda: path in self._asked, SECONDS), f"nobody asks for {path}"

    def times_asked(self, path: str) -> int:
        """How often browsers have asked for such a page until now."""
        with self._changed:
            return self._asked[path]

    def forget(self) -> None:
        """Forgets all messages: they are from browsers that have ended."""
        with self._changed:
            self._seen.clear()
            self._asked.clear()
        self._is_complete.clear()

    def hold(self) -> None:
        """Withholds, from now on, the rest of pages and /slow."""
        self._is_complete.clear()

    def complete(self) -> None:
        """Lets the rest of pages come."""
        self._is_complete.set()

    def seen(self, screen: Any, page: str, condition: Callable[[Any], object] = lambda seen: True) -> Any:
        """Waits until the last message of the screen's browser is about the page and fulfils the condition; returns
        it."""
        def is_so() -> bool:
            seen = self._seen.get(screen.width)
            return seen is not None and seen["page"] == page and bool(condition(seen))

        with self._changed:
            is_shown = self._changed.wait_for(is_so, SECONDS)
            assert is_shown, f"{screen.device.name} does not show {page} as wanted: {self._seen}"
            return self._seen[screen.width]

    def close(self) -> None:
        self._is_complete.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
