"""The part of the demo in which continuation streams carry more than an activity's state should hold."""

import hashlib
import os
import pathlib
import signal

from demo_stage import Scripted, explain, typed, until, verified, verify

MEBIBYTE = 1024 * 1024
PICTURE, FILM = "island.jpg", "ferry.mkv"


def make_files(desk):
    """The attachments: a picture, and a film that nobody would put into an activity."""
    paths = []
    for name, size in ((PICTURE, 3), (FILM, 256)):
        paths.append(desk.home / name)
        typed(desk, f"head -c {size}M /dev/urandom >~/{name}")
        with open(paths[-1], "wb") as file:
            for _ in range(size):
                file.write(os.urandom(MEBIBYTE))
    return paths


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def compose(device):
    composer = Scripted(device, ["segue-composer"], "composer")
    composer.until("ready")
    return composer


def draft(composer, subject, paths):
    for line in ("to mum@example.org", f"subject {subject}", "text We were lucky with the weather."):
        composer.type(line)
    for path in paths:
        composer.type(f"attach {path}")
        composer.until("attached ")


def path_of(line):
    """The parts of a line `arrived NAME, SIZE: PATH`."""
    return line.split(": ", 1)[1]


def mail(desk, laptop, watches):
    """A draft goes on with its attachments, and another one whose origin dies in the middle of them."""
    explain("6. On the desk somebody writes a mail with a picture and a film. Nothing of it is on a server, and no folder is "
            "shared. The mail's text is the activity's state; the attachments come through continuation streams, from one "
            "composer to the other, over the link that is there.")
    paths = make_files(desk)
    origin, target = compose(desk), compose(laptop)
    draft(origin, "The ferry", paths)
    watches[laptop].until("offer", lambda thing: thing["title"] == "The ferry", "the laptop sees the offer")
    verify("Continued." in laptop.run("segue continue --latest"), "the continuation has succeeded")
    target.until("continued The ferry")
    arrived = [path_of(target.until("arrived ")) for _ in paths]
    target.until("complete")
    verify([digest(path) for path in arrived] == [digest(path) for path in paths],
           "the laptop has both files, 3 MiB and 256 MiB, with the digests of the desk's")
    origin.until("taken")
    verified("the desk's composer drops its draft: all of it is on the laptop")
    target.type("quit")
    origin.type("quit")
    watches[laptop].until_none("activity", "the laptop's draft is gone with its composer")

    explain("And if the desk's composer dies in the middle? Once more, and while the film comes, it is killed.")
    origin, target = compose(desk), compose(laptop)
    draft(origin, "The ferry again", paths)
    watches[laptop].until("offer", lambda thing: thing["title"] == "The ferry again", "the laptop sees the offer")
    verify("Continued." in laptop.run("segue continue --latest"), "the continuation has succeeded")
    arrived = path_of(target.until("arrived "))
    part = pathlib.Path(arrived).with_name(f"{FILM}.part")
    until(lambda: part.exists() and part.stat().st_size > 16 * MEBIBYTE, "some of the film is there")
    typed(desk, "pkill -9 segue-composer")
    os.kill(origin.process.pid, signal.SIGKILL)
    verify(FILM in target.until("missing "), "the laptop says which file is missing, and how much of it is there")
    target.until("incomplete")
    verify(digest(arrived) == digest(paths[0]), "what it has, it keeps: the text and the picture")
    target.type("quit")
    watches[laptop].until_none("activity", "the laptop's draft is gone with its composer")
