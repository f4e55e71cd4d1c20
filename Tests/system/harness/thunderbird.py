"""The real Thunderbird on a device, with our extension, on a screen of its own; Marionette looks into it."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import zipfile

from .browser import Trouble
from .firefox import Firefox
from .python_package import environment
from .readers import give_screen
from .tree import SOURCES
from .waiting import wait_for

BRIDGE = SOURCES / "bridges/thunderbird"
EXTENSION = "thunderbird@segue.org"
#: Seconds; it is slow to start where others use the processors.
PATIENCE = 90
PREFERENCES = {
    "xpinstall.signatures.required": False, "extensions.autoDisableScopes": 0, "marionette.port": 0,
    # An account whose server is not there, so that there is somebody to write as.
    "mail.accountmanager.accounts": "account1,account2", "mail.accountmanager.defaultaccount": "account2",
    "mail.accountmanager.localfoldersserver": "server1", "mail.account.account1.server": "server1",
    "mail.account.account2.server": "server2", "mail.account.account2.identities": "id1,id2",
    "mail.server.server1.type": "none", "mail.server.server1.hostname": "Local Folders",
    "mail.server.server1.userName": "nobody", "mail.server.server1.name": "Local Folders",
    "mail.server.server2.type": "pop3", "mail.server.server2.hostname": "127.0.0.1", "mail.server.server2.port": 9,
    "mail.server.server2.userName": "me", "mail.server.server2.name": "me@example.org",
    "mail.server.server2.check_new_mail": False, "mail.server.server2.login_at_startup": False,
    "mail.identity.id1.fullName": "Me", "mail.identity.id1.useremail": "me@example.org", "mail.identity.id1.valid": True,
    "mail.identity.id2.fullName": "Me", "mail.identity.id2.useremail": "work@example.org", "mail.identity.id2.valid": True,
    "mail.identity.id1.htmlSigText": "The signature", "mail.identity.id2.htmlSigText": "Another signature",
    "mail.provider.suppress_dialog_on_startup": True, "mail.spotlight.firstRunDone": True,
    "mail.winsearch.firstRunDone": True, "mail.shell.checkDefaultClient": False, "mail.rights.version": 1,
    "mailnews.start_page.enabled": False, "app.donation.eoy.version.viewed": 999, "app.update.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False, "toolkit.telemetry.enabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
}
#: A window of the newest draft whose subject begins so.
WINDOW = """
const window = [...Services.wm.getEnumerator("msgcompose")].find(each =>
  each.composeEditorReady && each.document.getElementById("msgSubject").value.startsWith(arguments[0]));
"""


class Thunderbird:
    """One on each device, with a profile each."""

    read, more, ask = Firefox.read, Firefox.more, Firefox.ask

    def __init__(self, device, display):
        self.device = device
        self.profile = device.folder / "profile"
        (self.profile / "extensions").mkdir(parents=True)
        with zipfile.ZipFile(self.profile / "extensions" / f"{EXTENSION}.xpi", "w") as archive:
            for path in sorted((BRIDGE / "extension").rglob("*")):
                archive.write(path, path.relative_to(BRIDGE / "extension"))
        (self.profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in PREFERENCES.items()))
        home = device.folder / "home"
        manifest = (BRIDGE / "data/org.segue.thunderbird.json.in").read_text()
        self.put(home / ".mozilla/native-messaging-hosts/org.segue.thunderbird.json",
                 manifest.replace("@LIBEXECDIR@", str(BRIDGE / "host")))
        give_screen(device, display)
        self.environment = {**device.environment, **environment()}
        subprocess.Popen(["openbox"], env=self.environment, stdin=subprocess.DEVNULL, stdout=device.log, stderr=device.log)
        self.program = device.folder / "bin/thunderbird"
        settings = "\n".join(f"export {key}='{self.environment[key]}'" for key in environment())
        self.put(self.program, f"#!/bin/sh\n{settings}\nexec /usr/bin/thunderbird -profile {self.profile} --marionette "
                               '--remote-allow-system-access "$@"\n')
        self.program.chmod(0o755)
        for name, folder in [("desktop", "applications"), ("Segue.service", "dbus-1/services")]:
            text = (BRIDGE / f"data/org.segue.Thunderbird.{name}").read_text()
            self.put(device.data / f"{folder}/org.segue.Thunderbird.{name}",
                     text.replace("exec thunderbird", f"exec {self.program}").replace("=thunderbird\n", f"={self.program}\n"))
        device.reload()

    @staticmethod
    def put(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def said(self):
        return self.device.report()

    def start(self):
        subprocess.Popen([self.program], env=self.environment, stdin=subprocess.DEVNULL, stdout=self.device.log,
                         stderr=self.device.log)
        return self.connect()

    def connect(self):
        """To one that somebody has started, until its extension has said hello to Segue."""
        file = self.profile / "MarionetteActivePort"
        port = wait_for(lambda: file.exists() and file.read_text().strip(), "Thunderbird's port", seconds=PATIENCE)
        self.socket = socket.create_connection(("127.0.0.1", int(port)), PATIENCE)
        self.buffer, self.last = b"", 0
        self.read()
        self.ask("WebDriver:NewSession", capabilities={"alwaysMatch": {"timeouts": {"script": PATIENCE * 1000}}})
        self.ask("Marionette:SetContext", value="chrome")
        with self.device.bus() as bus:
            wait_for(lambda: bus.ask("NameHasOwner", "s", ["org.segue.Thunderbird.Segue"]) == [True], "its name",
                     seconds=PATIENCE)
        return self

    def run(self, script, *arguments):
        try:
            return self.ask("WebDriver:ExecuteScript", script=script, args=list(arguments))["value"]
        except Trouble as trouble:
            if "discarded" in str(trouble) or "no such window" in str(trouble):
                return None
            raise

    def keys(self, *keys):
        subprocess.run(["xdotool", "key", "--clearmodifiers", *keys], env=self.environment, check=True)

    def type(self, text):
        subprocess.run(["xdotool", "type", "--delay", "30", text], env=self.environment, check=True)

    # Drafts

    def write(self, subject="Pancakes", is_plain=False, **fields):
        """Opens a draft as its user does, and waits until the cursor is in its text."""
        self.run("""
const { MailServices } = ChromeUtils.importESModule("resource:///modules/MailServices.sys.mjs");
const format = Ci.nsIMsgCompFormat[arguments[0] ? "PlainText" : "HTML"];
MailServices.compose.OpenComposeWindow(null, null, null, Ci.nsIMsgCompType.New, format, null, null, null);
""", is_plain)
        wait_for(lambda: self.run(WINDOW + "return Boolean(window)", ""), "a draft", seconds=PATIENCE)
        self.run(WINDOW + "window.SetComposeDetails(arguments[1])", "", {"subject": subject, **fields})
        self.focus(subject)

    def focus(self, subject):
        self.run(WINDOW + "window.focus(); window.document.getElementById('messageEditor').focus()", subject)
        wait_for(lambda: self.run(WINDOW + "return window == Services.focus.activeWindow", subject), "the focus",
                 seconds=PATIENCE)

    def shown(self, subject):
        """What the draft shows; None where there is none yet."""
        return self.run(WINDOW + """
if (!window) return null;
const fields = window.GetComposeDetails(), editor = window.GetCurrentEditor();
return { to: fields.to, cc: fields.cc, bcc: fields.bcc, subject: fields.subject, from: fields.from,
         html: editor.document.body.innerHTML, text: editor.document.body.innerText, isHTML: window.IsHTMLEditor(),
         images: editor.document.images.length, asks: window.gContentChanged };
""", subject)

    def drafts(self):
        return self.run('return [...Services.wm.getEnumerator("msgcompose")].length')

    def close_draft(self, subject):
        self.run(WINDOW + "window.gContentChanged = false; window.gMsgCompose.bodyModified = false; window.close()", subject)

    def host(self):
        """The process that the extension has started."""
        for pid in self.device.processes():
            with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
                if b"/segue-thunderbird\0" in file.read():
                    return pid
        raise AssertionError("no host runs")

    def close(self):
        for pid in self.device.processes():
            try:
                if os.path.basename(os.readlink(f"/proc/{pid}/exe")).startswith("thunderbird"):
                    os.kill(pid, signal.SIGKILL)
            except OSError:
                pass


def is_here():
    return all(map(shutil.which, ["thunderbird", "Xvfb", "openbox", "xdotool"]))
