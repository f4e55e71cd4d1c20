"""The real LibreOffice on a device, with documents of twenty pages."""

import os
import shutil
import signal
import subprocess
import zipfile

from .application import Application
from .bounds import SECONDS
from .waiting import wait_for

OFFICE = Application("org.segue.Bridge.Libreoffice", "LibreOffice", ["org.segue.open.Reading"])
PAGES = 20

MANIFEST = """<?xml version="1.0"?>
<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">
<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>"""
CONTENT = """<?xml version="1.0"?>
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" office:version="1.2">
<office:automatic-styles><style:style style:name="new" style:family="paragraph">
<style:paragraph-properties fo:break-before="page"/></style:style></office:automatic-styles>
<office:body>{body}</office:body></office:document-content>"""


def make(path, kind, body):
    kind = f"application/vnd.oasis.opendocument.{kind}"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("mimetype", kind)
        file.writestr("META-INF/manifest.xml", MANIFEST.format(kind=kind))
        file.writestr("content.xml", CONTENT.format(body=body))
    return path


def make_text(path):
    """A text (ODT) of twenty pages, each with its number."""
    pages = "".join(f'<text:p text:style-name="new">Page {page}</text:p>' for page in range(1, PAGES + 1))
    return make(path, "text", f"<office:text>{pages}</office:text>")


def make_slides(path):
    """Twenty slides (ODP)."""
    pages = "".join(f'<draw:page draw:name="Slide {page}"/>' for page in range(1, PAGES + 1))
    return make(path, "presentation", f"<office:presentation>{pages}</office:presentation>")


def make_table(path):
    """A table (ODS), which has no pages on the screen."""
    cell = '<table:table-row><table:table-cell><text:p>1</text:p></table:table-cell></table:table-row>'
    return make(path, "spreadsheet", f'<office:spreadsheet><table:table table:name="One">{cell}</table:table>'
                "</office:spreadsheet>")


#: Said to LibreOffice in its own language, by a connection of the test's own.
SCRIPT = """
import sys, uno
local = uno.getComponentContext()
resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
context = resolver.resolve("uno:pipe,name=%s;urp;StarOffice.ComponentContext")
desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
document = desktop.CurrentComponent
%s
"""


class Office:
    """LibreOffice on one device, as its user sees and drives it."""

    def __init__(self, device):
        self.device = device
        self.pipe = f"test-{device.folder.name}"

    def start(self, *files):
        for file in files:
            # Two devices of a test have one file; the other one's lock would have this one ask its user.
            (file.parent / f".~lock.{file.name}#").unlink(missing_ok=True)
        subprocess.Popen(
            ["soffice", "--nologo", "--norestore", f"--accept=pipe,name={self.pipe};urp", *map(str, files)],
            env=self.device.environment, stdin=subprocess.DEVNULL, stdout=self.device.log, stderr=self.device.log)
        for file in files:
            wait_for(lambda: self.shows(file), f"{file} in LibreOffice")

    def listen(self):
        """To one that runs, which was not started by this."""
        self.start()
        wait_for(lambda: self.ask("print(1)"), "LibreOffice's answer")

    def ask(self, line):
        """What it prints; "" where it does not answer."""
        done = subprocess.run(
            ["/usr/bin/python3", "-c", SCRIPT % (self.pipe, line)], env=self.device.environment, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, timeout=SECONDS)
        return done.stdout.strip()

    def shows(self, path):
        return self.ask("print(document.URL)") == path.as_uri()

    def page(self):
        return int(self.ask("print(document.CurrentController.ViewCursor.getPage())") or 0)

    def go(self, page):
        wait_for(lambda: self.ask("print(document.CurrentController.PageCount)") == str(PAGES), "all pages")
        self.ask(f"document.CurrentController.ViewCursor.jumpToPage({page})")
        wait_for(lambda: self.page() == page, f"page {page}")

    def slide(self):
        return int(self.ask("print(document.CurrentController.CurrentPage.Number)") or 0)

    def go_to_slide(self, page):
        self.ask(f"document.CurrentController.CurrentPage = document.DrawPages.getByIndex({page - 1})")
        wait_for(lambda: self.slide() == page, f"slide {page}")

    def close_document(self):
        self.ask("document.close(True)")

    def processes(self):
        for pid in self.device.processes():
            try:
                if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "soffice.bin":
                    yield pid
            except FileNotFoundError:
                pass

    def helpers(self):
        """The processes that speak to it for segue-bridge."""
        for pid in self.device.processes():
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if b"segue-libreoffice.py" in file.read():
                        yield pid
            except FileNotFoundError:
                pass

    def quit(self):
        self.ask("desktop.terminate()")
        wait_for(lambda: not list(self.processes()), "the end of LibreOffice")

    def kill(self):
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
        # Until then it writes into the device's folder.
        wait_for(lambda: not list(self.processes()), "the end of LibreOffice")


def has(part):
    """Whether a part of LibreOffice is installed: `simpress`, `scalc`."""
    return os.path.exists(f"{os.path.dirname(os.path.realpath(shutil.which('soffice') or '/'))}/{part}")


def is_here():
    return bool(shutil.which("soffice") and shutil.which("Xvfb") and subprocess.run(
        ["/usr/bin/python3", "-c", "import uno"], stderr=subprocess.DEVNULL).returncode == 0)
