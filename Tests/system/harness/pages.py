"""A web server with long pages, in which each line has its number."""

import html
import http.server
import threading
import urllib.parse

LINES = 400
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>body {{ font: 16px/24px sans-serif; margin: 0 }} p {{ margin: 0; padding-bottom: 16px }}</style>
<body>{lines}</body>
"""
#: The height of a line in pixels.
HEIGHT = 40
LATE = """<script>
  const lines = document.body.innerHTML;
  document.body.textContent = "";
  addEventListener("load", () => setTimeout(() => document.body.innerHTML = lines));
</script>"""
LINE = "<p>Line {number} of {title}: the quick brown fox jumps over the lazy dog, and is not seen again.</p>"


class Pages:
    """The server: /NAME is the page of that name; /NAME?late gets its lines only after it has loaded. Port 0: any."""

    def __init__(self, port=0):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                title = html.escape(urllib.parse.unquote(self.path.lstrip("/").split("?")[0]))
                lines = "\n".join(LINE.format(number=number, title=title) for number in range(1, LINES + 1))
                if self.path.endswith("?late"):
                    lines += LATE
                body = PAGE.format(title=title, lines=lines).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, name, host="localhost"):
        port = "" if self.port == 80 else f":{self.port}"
        return f"http://{host}{port}/{name}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
