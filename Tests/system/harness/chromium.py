"""Chromium, by its DevTools protocol over pipes."""

import base64
import contextlib
import json
import os
import pathlib
import select
import time

from .browser import EXTENSION, HOST_NAME, PATIENCE, Browser, Tab, Trouble
from .waiting import wait_for


class Chromium(Browser):
    kind = "chromium"
    command = "chromium"
    base = "chrome-extension://nbbjfdlggaeecmhbjlegjnkcigfmcpib/"

    def install(self, host):
        folder = self.profile / "NativeMessagingHosts"
        folder.mkdir()
        (folder / f"{HOST_NAME}.json").write_text(self.manifest(host, allowed_origins=[self.base]))
        self.to_it = self.fifo("in")
        self.from_it = self.fifo("out")

    def line(self):
        return ("/usr/bin/chromium --headless=new --no-sandbox --disable-gpu --no-first-run --disable-sync "
                "--disable-component-update --disable-background-networking --enable-logging=stderr "
                f"--window-size={self.width},800 --user-data-dir={self.profile} --load-extension={EXTENSION} "
                "--remote-debugging-pipe")

    # Without a screen Chromium takes exactly one page.
    arguments = '"${@:-about:blank}"'

    def redirections(self):
        return f"</dev/null 3<{self.folder}/in 4>{self.folder}/out"

    def connect(self):
        self.buffer = b""
        with contextlib.suppress(BlockingIOError):
            while os.read(self.from_it, 65536):
                pass
        self.last = 0
        self.events = []
        self.ask("Target.setDiscoverTargets", discover=True)

    def disconnect(self):
        with contextlib.suppress(BlockingIOError):
            while os.read(self.to_it, 65536):
                pass

    def quit(self):
        self.ask("Browser.close")

    def close(self):
        super().close()
        os.close(self.to_it)
        os.close(self.from_it)

    def read(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            ready = select.select([self.from_it, self.handle], [], [], max(left, 0))[0]
            assert self.from_it in ready, f"chromium says nothing: {self.said()}"
            self.buffer += os.read(self.from_it, 1 << 20)
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def ask(self, method, session=None, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            select.select([], [self.to_it], [], PATIENCE)
            data = data[os.write(self.to_it, data):]
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self.read(deadline)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise Trouble(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def agree(self, *sites):
        # The browser's question has no page that a test could click in; the browser does not ask again what its own
        # page of extensions has been told.
        settings = self.open("chrome://extensions/")
        for site in sites or ["*"]:
            for scheme in ["http", "https"]:
                settings.evaluate(
                    f"chrome.developerPrivate.addHostPermission('{self.base.split('/')[2]}', '{scheme}://{site}/*')")
        settings.close()

    def count(self):
        """The number of its tabs."""
        return sum(one["type"] == "page" for one in self.targets())

    def targets(self):
        return self.ask("Target.getTargets")["targetInfos"]

    def new_tab(self, private=False):
        context = {"browserContextId": self.ask("Target.createBrowserContext")["browserContextId"]} if private else {}
        target = self.ask("Target.createTarget", url="about:blank", **context)["targetId"]
        return ChromiumTab(self, target)

    def find(self, part):
        """Waits for a tab with such an address."""
        known = {tab.target for tab in self.tabs}
        target = wait_for(
            lambda: next((one["targetId"] for one in self.targets()
                          if one["type"] == "page" and part in one["url"] and one["targetId"] not in known), None),
            f"a tab with {part}", seconds=PATIENCE)
        return ChromiumTab(self, target)


class ChromiumTab(Tab):
    def __init__(self, browser, target):
        self.browser = browser
        self.target = target
        self.session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.tabs.append(self)

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    def go(self, url):
        result = self.ask("Page.navigate", url=url)
        assert "errorText" not in result, result
        self.until(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    def evaluate(self, expression):
        try:
            result = self.ask(
                "Runtime.evaluate", expression=f"(() => {{ return {expression}; }})()", returnByValue=True,
                awaitPromise=True, userGesture=True)
        except Trouble as error:
            # The page has just been replaced by another.
            if "context" in str(error) or "navigat" in str(error):
                return None
            raise
        if "exceptionDetails" in result:
            raise Trouble(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def click(self, selector):
        box = self.evaluate(
            f"(box => [box.x + box.width / 2, box.y + box.height / 2])(document.querySelector({json.dumps(selector)})"
            ".getBoundingClientRect())")
        for type in ["mousePressed", "mouseReleased"]:
            self.ask("Input.dispatchMouseEvent", type=type, x=box[0], y=box[1], button="left", clickCount=1)

    def press(self, key):
        for type in ["keyDown", "keyUp"]:
            more = {"text": "\r"} if (key, type) == ("Enter", "keyDown") else {}
            self.ask("Input.dispatchKeyEvent", type=type, key=key, code=key, **more,
                     windowsVirtualKeyCode={"Enter": 13, "ArrowDown": 40, "ArrowUp": 38}[key])

    def activate(self):
        self.browser.ask("Target.activateTarget", targetId=self.target)

    def close(self):
        self.browser.tabs.remove(self)
        self.browser.ask("Target.closeTarget", targetId=self.target)

    def view(self):
        """A picture of what the view shows now, where it is scrolled to."""
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])

    def screenshot(self, path, width, height):
        """Writes a picture of a view of this size, from the page's top."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2, mobile=False)
        self.until(f"innerWidth === {width}")
        self.scroll(0)
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
