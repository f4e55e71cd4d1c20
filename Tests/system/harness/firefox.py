"""Firefox, by Marionette."""

import base64
import contextlib
import json
import pathlib
import socket
import zipfile

from .browser import EXTENSION, FIREFOX_ID, HOST_NAME, PATIENCE, Browser, Tab, Trouble
from .waiting import wait_for


class Firefox(Browser):
    kind = "firefox"
    command = "firefox-esr"
    #: The address of its pages is random, unless the profile sets it.
    uuid = "5e60e000-0000-4000-8000-000000000001"
    base = f"moz-extension://{uuid}/"

    def install(self, host):
        folder = self.home / ".mozilla" / "native-messaging-hosts"
        folder.mkdir(parents=True)
        (folder / f"{HOST_NAME}.json").write_text(self.manifest(host, allowed_extensions=[FIREFOX_ID]))
        extensions = self.profile / "extensions"
        extensions.mkdir()
        with zipfile.ZipFile(extensions / f"{FIREFOX_ID}.xpi", "w") as archive:
            for path in sorted(EXTENSION.rglob("*")):
                archive.write(path, path.relative_to(EXTENSION))
        preferences = {
            "xpinstall.signatures.required": False,
            "extensions.autoDisableScopes": 0,
            "extensions.webextensions.uuids": json.dumps({FIREFOX_ID: self.uuid}),
            # The browser's question has no page that a test could click in.
            "extensions.webextOptionalPermissionPrompts": False,
            "marionette.port": 0,
            "browser.shell.checkDefaultBrowser": False,
            "browser.startup.page": 0,
            "browser.aboutwelcome.enabled": False,
            "datareporting.policy.dataSubmissionEnabled": False,
            "toolkit.telemetry.enabled": False,
            "app.update.enabled": False,
            "app.normandy.enabled": False,
            "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False,
            "dom.disable_open_during_load": False,
            **self.settings,
        }
        (self.profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in preferences.items()))

    #: Further preferences.
    settings = {}

    def line(self):
        return ("/usr/bin/firefox-esr -headless -no-remote -marionette -remote-allow-system-access "
                f"-profile {self.profile} --width {self.width} --height 1000")

    def connect(self):
        file = self.profile / "MarionetteActivePort"
        port = wait_for(lambda: file.exists() and file.read_text().strip(), "Firefox's port", seconds=PATIENCE)
        self.socket = socket.create_connection(("127.0.0.1", int(port)), PATIENCE)
        self.buffer = b""
        self.last = 0
        self.read()
        self.ask("WebDriver:NewSession", capabilities={"alwaysMatch": {"timeouts": {"script": PATIENCE * 1000}}})
        self.first = self.selected = self.ask("WebDriver:GetWindowHandle")["value"]

    def select(self, handle):
        """Selects a tab for the protocol, not for the user: the tab in front stays."""
        if self.selected != handle:
            self.ask("WebDriver:SwitchToWindow", handle=handle, focus=False)
            self.selected = handle

    def disconnect(self):
        self.socket.close()
        (self.profile / "MarionetteActivePort").unlink(missing_ok=True)

    def quit(self):
        self.ask("Marionette:Quit", flags=["eForceQuit"])

    def read(self):
        while b":" not in self.buffer:
            self.more()
        length, _, self.buffer = self.buffer.partition(b":")
        while len(self.buffer) < int(length):
            self.more()
        data, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return json.loads(data)

    def more(self):
        data = self.socket.recv(1 << 20)
        assert data, f"firefox has ended: {self.said()}"
        self.buffer += data

    def ask(self, command, **parameters):
        self.last += 1
        data = json.dumps([0, self.last, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(data), data))
        while (answer := self.read())[1] != self.last:
            pass
        if answer[2]:
            raise Trouble(f"{command}: {answer[2]['error']}: {answer[2]['message']}")
        return answer[3]

    def count(self):
        return len(self.ask("WebDriver:GetWindowHandles"))

    def new_tab(self, private=False):
        made = self.ask("WebDriver:NewWindow", type="window" if private else "tab", private=private, focus=True)
        tab = FirefoxTab(self, made["handle"])
        tab.activate()
        return tab

    def find(self, part):
        known = {tab.handle for tab in self.tabs}

        def found():
            for handle in self.ask("WebDriver:GetWindowHandles"):
                if handle in known:
                    continue
                with contextlib.suppress(Trouble):
                    self.select(handle)
                    if part in self.ask("WebDriver:GetCurrentURL")["value"]:
                        return handle
            return None

        return FirefoxTab(self, wait_for(found, f"a tab with {part}", seconds=PATIENCE))


class FirefoxTab(Tab):
    def __init__(self, browser, handle):
        self.browser = browser
        self.handle = handle
        browser.tabs.append(self)

    def ask(self, command, **parameters):
        self.browser.select(self.handle)
        return self.browser.ask(command, **parameters)

    def go(self, url):
        self.ask("WebDriver:Navigate", url=url)

    def evaluate(self, expression):
        try:
            return self.ask("WebDriver:ExecuteScript", script=f"return {expression};", args=[])["value"]
        except Trouble as error:
            if "unload" in str(error) or "discarded" in str(error):
                return None
            raise

    def click(self, selector):
        element = self.ask("WebDriver:FindElement", using="css selector", value=selector)["value"]
        self.ask("WebDriver:ElementClick", id=next(iter(element.values())))

    def press(self, key):
        # The keys as the protocol spells them.
        value = {"Enter": "\ue007", "ArrowDown": "\ue015", "ArrowUp": "\ue013"}[key]
        self.ask("WebDriver:PerformActions", actions=[{
            "type": "key", "id": "keys", "actions": [{"type": type, "value": value} for type in ["keyDown", "keyUp"]]}])

    def activate(self):
        self.browser.ask("WebDriver:SwitchToWindow", handle=self.handle, focus=True)
        self.browser.selected = self.handle

    def close(self):
        self.browser.tabs.remove(self)
        self.ask("WebDriver:CloseWindow")
        self.browser.select(self.browser.first)

    def view(self):
        """A picture of what the view shows now, where it is scrolled to."""
        return base64.b64decode(self.ask("WebDriver:TakeScreenshot", full=False)["value"])

    def screenshot(self, path, width, height):
        """Writes a picture of the page in this size. Firefox has no window as small as a popup."""
        self.evaluate(f"document.documentElement.style = 'width: {width}px; height: {height}px; overflow: hidden'")
        element = self.ask("WebDriver:FindElement", using="css selector", value="html")["value"]
        data = self.ask("WebDriver:TakeScreenshot", id=next(iter(element.values())), full=False)["value"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
