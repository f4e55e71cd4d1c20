"""A page in Chromium on one device, continued at its place in a Firefox that runs on the other: both headless, with the
extension. Beside it, how long that Firefox takes to open a page by itself."""

import http.server
import os
import pathlib
import queue
import shutil
import sys
import threading
import time

from rows import Row, p50, p99

os.environ.setdefault("SEGUE_PREFIX", "/usr/local")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests" / "system"))

from harness.browsers import KINDS, Installed  # noqa: E402 (says where it is)
from harness.device import Device, pair  # noqa: E402

SAMPLES = 20
PLACE = 3210
PATIENCE = 60

# A page tells when it has been loaded, and when it is at the place.
PAGE = """<!doctype html>
<meta charset="utf-8">
<title>Page {number}</title>
<style>body {{ font: 16px/24px sans-serif; margin: 0 }} p {{ margin: 0; padding-bottom: 16px }}</style>
{lines}
<script>
  addEventListener("load", () => fetch("/told/loaded/{number}"));
  addEventListener("scroll", () => scrollY === {place} && fetch("/told/scrolled/{number}"));
</script>
"""
LINE = "<p>Line {line} of page {number}: the quick brown fox jumps over the lazy dog.</p>"


class Website:
    """Pages, and what they tell in Firefox, with the time."""

    def __init__(self):
        told = self.told = queue.Queue()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                now = time.monotonic()
                kind, _, number = self.path.lstrip("/").rpartition("/")
                body = b""
                if kind == "page":
                    lines = "\n".join(LINE.format(line=line, number=number) for line in range(400))
                    body = PAGE.format(number=number, lines=lines, place=PLACE).encode()
                elif "Firefox" in self.headers["User-Agent"]:
                    told.put((kind.removeprefix("told/"), number, now))
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, number):
        return f"http://localhost:{self.server.server_address[1]}/page/{number}"

    def wait_for(self, *wanted):
        """When it was told."""
        while True:
            *what, now = self.told.get(timeout=PATIENCE)
            if tuple(what) == wanted:
                return now

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def measure():
    if missing := [kind.command for kind in KINDS.values() if not shutil.which(kind.command)]:
        print(f"bench: pages are left out without {' and '.join(missing)}", file=sys.stderr)
        return []
    website, desk, lap = Website(), Device("desk"), Device("lap")
    browsers = []
    try:
        pair(desk, lap)
        browsers += [Installed(desk, KINDS["chromium"]), Installed(lap, KINDS["firefox"])]
        for one in browsers:
            one.browser.start()
            one.browser.allow("localhost")
        ours, theirs = [], []
        for number in range(SAMPLES):
            ours.append(continued(website, desk, lap, *browsers, f"{number}"))
            theirs.append(opened(website, browsers[1].browser, f"{number}-opened"))
    finally:
        for one in [*browsers, desk, lap, website]:
            one.close()
    return [
        Row("a page from Chromium to a Firefox that runs, choice to scrolled (baseline: Firefox opens a page)", "ms",
            1000 * p50(ours), 1000 * p99(ours), 1000 * p50(theirs)),
    ]


def continued(website, desk, lap, chromium, firefox, number):
    page = chromium.browser.open(website.url(number))
    page.until("document.readyState === 'complete'")
    page.scroll(PLACE)
    page.until(f"scrollY === {PLACE}")
    offer = lap.offer(chromium, title=f"Page {number}")
    begun = time.monotonic()
    command = lap.take(offer)
    seconds = website.wait_for("scrolled", number) - begun
    command.succeeded()
    firefox.browser.find(website.url(number)).close()
    page.close()
    return seconds


def opened(website, firefox, number):
    begun = time.monotonic()
    page = firefox.open(website.url(number))
    seconds = website.wait_for("loaded", number) - begun
    page.close()
    return seconds
