"""Books (EPUB), and calibre's real viewer of them on a device."""

import json
import os
import shutil
import signal
import subprocess
import zipfile

from .application import Application
from .waiting import wait_for

CALIBRE = Application("org.segue.Bridge.Calibre", "E-book viewer", ["org.segue.open.Reading"])
CHAPTERS = 5
PARAGRAPHS = 60

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
PACKAGE = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:uuid:5b1b9c1a-0000-4000-8000-000000000000
</dc:identifier><dc:title>A Book</dc:title><dc:language>en</dc:language>
<meta property="dcterms:modified">2026-01-01T00:00:00Z</meta></metadata>
<manifest>{items}<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>
<spine>{spine}</spine></package>"""
PAGE = """<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head><body>{body}</body></html>"""
NAVIGATION = """<nav epub:type="toc" xmlns:epub="http://www.idpf.org/2007/ops"><ol>{entries}</ol></nav>"""


def make_epub(path):
    """A book of five chapters, each with 60 paragraphs behind its heading."""
    names = [f"c{number}" for number in range(CHAPTERS)]
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("mimetype", "application/epub+zip")
        file.writestr("META-INF/container.xml", CONTAINER)
        items = "".join(f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in names)
        spine = "".join(f'<itemref idref="{name}"/>' for name in names)
        file.writestr("book.opf", PACKAGE.format(items=items, spine=spine))
        entries = "".join(f'<li><a href="{name}.xhtml">{name}</a></li>' for name in names)
        file.writestr("nav.xhtml", PAGE.format(title="Contents", body=NAVIGATION.format(entries=entries)))
        for name in names:
            words = "".join(f"<p>{number} {'Some words follow here. ' * 12}</p>" for number in range(PARAGRAPHS))
            file.writestr(f"{name}.xhtml", PAGE.format(title=name, body=f"<h1>{name}</h1>{words}"))
    return path


def install_calibre(folder):
    """A program of the viewer's name that starts it as a test can: its part for pages refuses to run as root."""
    launcher = folder / "ebook-viewer"
    launcher.write_text(
        f'#!/bin/sh\nQTWEBENGINE_CHROMIUM_FLAGS=--no-sandbox exec {shutil.which("ebook-viewer")} "$@"\n')
    launcher.chmod(0o755)


class Calibre:
    """calibre's viewer on one device, as its user sees it, and what it writes down."""

    def __init__(self, device):
        self.device = device
        self.places = device.folder / "config/calibre/viewer/annots"

    def start(self, *words):
        subprocess.Popen(
            ["ebook-viewer", *map(str, words)], env=self.device.environment, stdin=subprocess.DEVNULL,
            stdout=self.device.log, stderr=self.device.log)

    def place(self):
        """The last place that is written down, as (chapter, paragraph) from 0; None without one."""
        for path in self.places.glob("*.json"):
            try:
                entries = json.loads(path.read_text())
            except ValueError:
                # It is being written.
                return None
            for entry in entries:
                if entry["type"] == "last-read":
                    steps = entry["pos"].removeprefix("epubcfi(").removesuffix(")").split("/")[1:]
                    # Behind the chapter come html, body and, behind its heading, the paragraph.
                    return int(steps[0]) // 2 - 1, int(steps[3].partition(":")[0].partition("[")[0]) // 2 - 2
        return None

    def is_at(self, chapter, paragraph):
        """A page has some paragraphs, and its top is written down."""
        place = self.place()
        return place is not None and place[0] == chapter and paragraph - 3 <= place[1] <= paragraph

    def open_at(self, path, chapter, paragraph):
        self.start(f"--open-at=epubcfi(/{2 * chapter + 2}/2/4/{2 * paragraph + 4}/1:0)", path)
        wait_for(lambda: self.is_at(chapter, paragraph), "the place in the book")

    def viewers(self):
        """The processes, with their words."""
        for pid in self.device.processes():
            try:
                with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
                    words = file.read().split("\0")
            except FileNotFoundError:
                continue
            if any(word.endswith("/ebook-viewer") for word in words[:2]):
                yield pid, words

    def end(self):
        # It takes no notice of SIGTERM.
        for pid, _ in self.viewers():
            os.kill(pid, signal.SIGKILL)
