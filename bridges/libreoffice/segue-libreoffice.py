"""LibreOffice for segue-bridge: which document is in front, at which page, and opening one at a page.

    python segue-libreoffice.py follow|start SOFFICE

segue-bridge starts this with LibreOffice's own Python while LibreOffice runs (`follow`), or to open something (`start`), and
talks to it over descriptor 3, a line each way:

    it says             this says
    read                place URL PAGE PAGES | nothing      0: not known, as in a table
    open URL PAGE PART  opened | failed                     PAGE 0: by its part of the whole, from 0 to 1
                        front URL | none | used             as it happens

LibreOffice listens for this process alone, in a socket that has a name which nobody can guess and an owner whom only the
user is. Seen of LibreOffice 7.4: --accept works in one that runs, within 50 ms; jumpToPage goes beyond the pages that are
laid out by then only to the last of these, so that the page is read back; a document that is open is not opened twice.
"""

import os
import queue
import secrets
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import unquote, urlsplit

import uno
import unohelper
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException
from com.sun.star.document import XDocumentEventListener
from com.sun.star.uno import Exception as OfficeError

#: Seconds for LibreOffice to start, and to lay out as many pages as are needed.
START = 14
LAYOUT = 5
#: Seconds until LibreOffice is told once more to listen.
AGAIN = 3
PAUSE = 0.05
#: Seconds for the last call, when segue-bridge has gone.
GRACE = 5
#: Events of a document after which another one may be in front, and those in which its user does something.
TURNS = {"OnFocus", "OnLoadFinished", "OnNew", "OnUnload", "OnSaveAsDone", "OnCreate"}
USES = {"OnModifyChanged", "OnSaveDone"}


def is_running():
    """Whether this user has a LibreOffice: its lock stays behind where it was killed, and --accept would start one."""
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.path.basename(os.readlink(f"/proc/{entry}/exe")) == "soffice.bin":
                if os.stat(f"/proc/{entry}").st_uid == os.getuid():
                    return True
        except OSError:
            pass
    return False


def path_of(url):
    return unquote(urlsplit(url).path)


def is_locked(url):
    """Whether a LibreOffice has it open, here or where the same folder is: then it would ask its user what to do."""
    folder, name = os.path.split(path_of(url))
    return os.path.exists(f"{folder}/.~lock.{name}#")


class Office:
    """A connection to LibreOffice."""

    def __init__(self, program):
        self.program = program
        self.accept = f"pipe,name=segue-{secrets.token_hex(16)};urp"
        self.run(f"--accept={self.accept}")
        local = uno.getComponentContext()
        connector = local.ServiceManager.createInstanceWithContext("com.sun.star.connection.Connector", local)
        factory = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.BridgeFactory", local)
        end = time.monotonic() + START
        again = time.monotonic() + AGAIN
        while True:
            try:
                connection = connector.connect(self.accept.partition(";")[0])
                break
            except NoConnectException:
                if time.monotonic() > end:
                    raise
                if time.monotonic() > again and is_running():
                    # One that has just begun may not have heard it.
                    self.run(f"--accept={self.accept}")
                    again = time.monotonic() + AGAIN
                time.sleep(PAUSE)
        self.bridge = factory.createBridge("", "urp", connection, None)
        context = self.bridge.getInstance("StarOffice.ComponentContext")
        self.desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        self.events = context.getByName("/singletons/com.sun.star.frame.theGlobalEventBroadcaster")

    def run(self, *words):
        subprocess.Popen(
            [self.program, "--nologo", "--nodefault", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, close_fds=True, start_new_session=True)

    def leave(self):
        """LibreOffice goes on, and listens no more. Throws where it has gone, since the command would start another."""
        self.front()
        self.run(f"--unaccept={self.accept}")

    def documents(self):
        found = self.desktop.Components.createEnumeration()
        while found.hasMoreElements():
            yield found.nextElement()

    def front(self):
        """The document that its user sees; None where it has no file."""
        document = self.desktop.CurrentComponent
        return document if getattr(document, "URL", "").startswith("file:") else None

    def open(self, url, page, part):
        """Shows the document; where it is open, at no earlier page than it has."""
        document = next((one for one in self.documents() if path_of(getattr(one, "URL", "")) == path_of(url)), None)
        if document is None:
            # Nothing in a document is run, whatever its user's settings are, and nothing else is loaded for it. One that
            # the other device still has, in a folder that both share, can be read, and written when its user says so.
            # Of a file that is damaged LibreOffice asks its user what to do, and answers when that is said.
            settings = {"MacroExecutionMode": 0, "UpdateDocMode": 0, "ReadOnly": is_locked(url)}
            document = self.desktop.loadComponentFromURL(
                url, "_default", 0, tuple(PropertyValue(name, 0, value, 0) for name, value in settings.items()))
            if document is None:
                if not self.desktop.Components.hasElements():
                    self.desktop.terminate()
                return False
            page = page or int(part * place(document)[1]) + 1
        elif place(document)[0] >= (page or int(part * place(document)[1]) + 1):
            page = 0
        document.CurrentController.Frame.ContainerWindow.toFront()
        end = time.monotonic() + LAYOUT
        # Pages behind the last one are clamped, once it is known which that is.
        while page > 0 and place(document)[0] not in (0, page) and time.monotonic() < end:
            before = place(document)[1]
            go(document, page)
            time.sleep(PAUSE)
            if before == place(document)[1] < page:
                break
        return True


def place(document):
    """(page, pages), from 1; 0 where it has none."""
    controller = document.CurrentController
    try:
        if document.supportsService("com.sun.star.text.TextDocument"):
            return controller.ViewCursor.getPage() or 0, controller.PageCount
        if document.supportsService("com.sun.star.drawing.GenericDrawingDocument"):
            return controller.CurrentPage.Number, document.DrawPages.Count
    except (AttributeError, OfficeError):
        pass
    return 0, 0


def go(document, page):
    if document.supportsService("com.sun.star.text.TextDocument"):
        # A short integer.
        document.CurrentController.ViewCursor.jumpToPage(min(page, 32767))
    else:
        pages = document.DrawPages
        document.CurrentController.CurrentPage = pages.getByIndex(min(page, pages.Count) - 1)


class Listener(unohelper.Base, XDocumentEventListener):
    """Called on a thread of UNO's, which must not wait; `disposing` when LibreOffice has gone."""

    def __init__(self, events):
        self.events = events

    def documentEventOccured(self, event):
        self.events.put(event.EventName)

    def disposing(self, source):
        self.events.put(None)


class Helper:
    def __init__(self, link, office):
        self.link = link
        self.office = office
        self.events = queue.SimpleQueue()
        self.shown = None
        self.listener = Listener(self.events)
        office.bridge.addEventListener(self.listener)
        office.events.addDocumentEventListener(self.listener)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.link.makefile("r", encoding="utf-8", errors="strict"):
            self.events.put(line.split())
        self.events.put(None)
        # LibreOffice may never answer what it was asked last.
        time.sleep(GRACE)
        os._exit(0)

    def say(self, *words):
        self.link.sendall((" ".join(map(str, words)) + "\n").encode())

    def show(self):
        document = self.office.front()
        url = document.URL if document is not None else None
        if url != self.shown:
            self.shown = url
            self.say("front", url) if url else self.say("none")

    def handle(self, event):
        match event:
            case ["read"]:
                document = self.office.front()
                self.say("place", document.URL, *place(document)) if document is not None else self.say("nothing")
            case ["open", url, page, part]:
                try:
                    self.say("opened" if self.office.open(url, int(page), float(part)) else "failed")
                except OfficeError:
                    self.say("failed")
                self.show()
            case str() if event in TURNS:
                self.show()
            case str() if event in USES:
                self.say("used")

    def run(self):
        self.show()
        while (event := self.events.get()) is not None:
            self.handle(event)


def main(mode, program):
    link = socket.socket(fileno=3)
    os.set_inheritable(3, False)
    if mode == "follow" and not is_running():
        return 0
    try:
        office = Office(program)
    except OfficeError:
        return 1
    try:
        Helper(link, office).run()
        office.leave()
    except (OfficeError, OSError):
        # LibreOffice or segue-bridge has gone.
        pass
    return 0


sys.exit(main(*sys.argv[1:]))
