"""Documents (semantics R7), and those that are opened by a continuation (V7, V15)."""

import urllib.parse

import cbor2
import pytest
from harness.device import Device, pair
from harness.encoding import decode

KEY = "SegueDocumentURL"
#: Two MIME types share one activity type.
TYPES = {"text/plain": "text", "text/html": "text", "image/png": "image"}


def url(path):
    return "file://" + urllib.parse.quote(str(path))


def link(path):
    """The URL as userInfo has it."""
    return cbor2.CBORTag(32, url(path))


@pytest.fixture(scope="module")
def sharing():
    """Two paired devices that share the folders `notes` and `pictures`."""
    made = [Device(name, containers=["notes", "pictures"]) for name in ["desk", "lap"]]
    try:
        pair(*made)
        yield made
    finally:
        for device in made:
            device.close()


@pytest.fixture
def desk(sharing):
    return sharing[0]


@pytest.fixture
def lap(sharing):
    return sharing[1]


@pytest.fixture
def application(new_application):
    """The application declares types for documents, and none in X-Segue-ActivityTypes."""
    application = new_application(types=[])
    application.text = application.id + ".text"
    items = "".join(f"{mime}={application.id}.{type};" for mime, type in TYPES.items())
    application.lines.append(f"X-Segue-DocumentActivityTypes={items}")
    return application


@pytest.fixture
def origin(both):
    return both[0].start()


@pytest.fixture
def note(desk, lap):
    """A file that has arrived on both devices: its path on each."""
    paths = [device.containers["notes"] / "a list.txt" for device in (desk, lap)]
    for path in paths:
        path.write_text("milk\n")
    yield paths
    for path in paths:
        path.unlink(missing_ok=True)


def taken(lap, application, place):
    """Continues the application's offer on lap: the probe there, and the command."""
    command = lap.take(lap.offer(application))
    return place.launched(), command


# R7


def R7_aDocumentInAContainerHasAnActivity(origin, both, desk, lap, application, note):
    origin.do(f"document d {url(note[0])} text/plain")
    # Its type is the declared one, and its title the file's name, until the application knows a better one.
    offer = lap.offer(application, type=application.text, title="a list.txt")
    target, command = taken(lap, application, both[1])
    info = decode(target.expect("continue")[1])
    command.succeeded()
    # The URL is that of the same file there.
    assert info == {KEY: link(note[1])}
    origin.do("activity-of d a", "title a Shopping", "state d line int 3", "needs-save a 1")
    assert lap.offer(application, title="Shopping")["id"] == offer["id"]
    assert origin.current() == "a"


def R7_aDocumentOutsideHasNone(origin, desk, lap, application):
    origin.do(f"document d {url(desk.folder / 'home' / 'list.txt')} text/plain", "document untitled - text/plain")
    # The daemon has answered the later question, so it has answered the earlier one.
    origin.do(f"document e {url(desk.containers['notes'] / 'e.png')} image/png")
    lap.offer(application, type=application.id + ".image")
    assert origin.refused("activity-of d a") == "ENOENT"
    assert origin.refused("activity-of untitled a") == "ENOENT"


def R7_aMimeTypeThatIsNotDeclared(origin, desk, lap, application):
    notes = desk.containers["notes"]
    origin.do(f"document d {url(notes / 'a.odt')} application/vnd.oasis.opendocument.text")
    origin.do(f"document e {url(notes / 'b.png')} IMAGE/PNG")
    lap.offer(application, type=application.id + ".image", title="b.png")
    assert origin.refused("activity-of d a") == "ENOENT"


def R7_mimeTypesThatShareAnActivityType(origin, desk, lap, application):
    notes = desk.containers["notes"]
    origin.do(f"document d {url(notes / 'a.txt')} text/plain")
    lap.offer(application, type=application.text, title="a.txt")
    origin.do(f"document e {url(notes / 'a.html')} text/html")
    # Each has an activity of its own, of the same type.
    lap.offer(application, type=application.text, title="a.html")
    origin.do("activity-of d a", "activity-of e b", "current a")
    lap.offer(application, title="a.txt")
    assert origin.current() == "a"


def R7_movingTheFile(origin, both, desk, lap, application, note):
    origin.do(f"document d {url(desk.containers['notes'] / 'draft.txt')} text/plain")
    first = lap.offer(application, title="draft.txt")
    origin.do("activity-of d a", f"move d {url(note[0])}")
    assert urllib.parse.unquote(origin.do("file d")) == f"file {url(note[0])}"
    # The same activity goes on, with the new URL; a title of the application's stays.
    assert lap.offer(application, title="a list.txt")["id"] == first["id"]
    target, command = taken(lap, application, both[1])
    assert decode(target.expect("continue")[1]) == {KEY: link(note[1])}
    command.succeeded()


def R7_aFileThatAnotherProgramRenamesIsFollowed(origin, both, desk, lap, application, note):
    draft = desk.containers["notes"] / "draft.txt"
    draft.write_text("milk\n")
    origin.do(f"document d {url(draft)} text/plain")
    first = lap.offer(application, title="draft.txt")
    draft.rename(note[0])
    assert origin.expect("moved d") == [url(note[0])]
    # As where the application moves it.
    assert lap.offer(application, title="a list.txt")["id"] == first["id"]
    target, command = taken(lap, application, both[1])
    assert decode(target.expect("continue")[1]) == {KEY: link(note[1])}
    command.succeeded()


def R7_aFileThatAnotherProgramMovesOutAndIn(origin, desk, lap, application, note):
    origin.do(f"document d {url(note[0])} text/plain")
    lap.offer(application)
    outside = desk.folder / "list.txt"
    note[0].rename(outside)
    assert origin.expect("moved d") == [url(outside)]
    lap.no_offer(application)
    picture = desk.containers["pictures"] / "list.txt"
    outside.rename(picture)
    assert origin.expect("moved d") == [url(picture)]
    lap.offer(application, title="list.txt")


def R7_editorAndViewerMayHaveTypesOfTheirOwn(origin, both, desk, lap, application, note):
    application.lines.append(f"X-Segue-ViewerActivityTypes=text/plain={application.id}.viewing;")
    for place in both:
        place.write(place.desktop, application.desktop_file())
    viewing = application.id + ".viewing"
    origin.do(f"document d {url(note[0])} text/plain", "role d viewed")
    offer = lap.offer(application, type=viewing, title="a list.txt")
    # Another role, another activity.
    origin.do("role d edited")
    assert lap.offer(application, type=application.text)["id"] != offer["id"]
    origin.do("role d viewed")
    lap.until(lambda watch: [o["type"] for o in lap.offers_of(application)] == [viewing], "the viewer's offer alone")
    target, command = taken(lap, application, both[1])
    kind, info = target.expect("continue")
    command.succeeded()
    assert kind == viewing and decode(info) == {KEY: link(note[1])}
    # Where viewers have no type of their own there is one for all.
    origin.do(f"document e {url(desk.containers['pictures'] / 'e.png')} image/png", "role e viewed")
    lap.offer(application, type=application.id + ".image")


def R7_fromOneContainerToAnother(origin, desk, lap, application):
    origin.do(f"document d {url(desk.containers['notes'] / 'a.txt')} text/plain")
    first = lap.offer(application, title="a.txt")
    origin.do(f"move d {url(desk.containers['pictures'] / 'a.txt')}", "activity-of d a", "title a Moved")
    assert lap.offer(application, title="Moved")["id"] == first["id"]


def R7_movingTheFileOutEnds(origin, desk, lap, application):
    notes = desk.containers["notes"]
    origin.do(f"document d {url(notes / 'a.txt')} text/plain")
    first = lap.offer(application)
    origin.do("activity-of d a", f"move d {url(desk.folder / 'a.txt')}")
    lap.no_offer(application)
    assert origin.refused("activity-of d b") == "ENOENT"
    assert origin.do("current a") == 1, "invalidated"
    # And back: another activity.
    origin.do(f"move d {url(notes / 'b.txt')}")
    assert lap.offer(application, title="b.txt")["id"] != first["id"]


def R9_aDocumentsObserverIsTold(origin, desk, application):
    notes = desk.containers["notes"]
    origin.do("on changed tell", f"document d {url(notes / 'a.txt')} text/plain")
    # The observer hears of the library's own changes, too: an activity that the probe has not named yet, and its end.
    assert origin.expect("changed d") == ["-"]
    origin.do("activity-of d a", f"move d {url(desk.folder / 'a.txt')}")
    assert origin.expect("changed d") == [""]
    origin.do(f"activity b {application.text}", "attach d b")
    assert origin.expect("changed d") == ["b"]
    origin.do("invalidate b")
    assert origin.expect("changed d") == [""]
    assert origin.count("changed d") == 4


@pytest.mark.parametrize("ending", ["close d", "drop-responder d", "move d -"])
def R7_closingInvalidates(origin, desk, lap, application, ending):
    origin.do(f"document d {url(desk.containers['notes'] / 'a.txt')} text/plain")
    lap.offer(application)
    origin.do("activity-of d a", "responder r", "attach r a", ending)
    lap.no_offer(application)
    assert origin.do("current a") == 1
    assert origin.current() is None


def R7_theDocumentsActivityOnAResponder(origin, both, lap, application, note):
    origin.do(f"document d {url(note[0])} text/plain", "state d page int 2")
    lap.offer(application)
    # A new responder has a part of the state, so that there is a new round.
    origin.do("responder r", "state r caret int 7", "activity-of d a", "attach r a")
    target, command = taken(lap, application, both[1])
    assert decode(target.expect("continue")[1]) == {KEY: link(note[1]), "page": 2, "caret": 7}
    command.succeeded()


def R7_anActivityOfTheApplicationsTakesItsPlace(origin, both, lap, application, note):
    origin.do(f"document d {url(note[0])} text/plain")
    first = lap.offer(application)
    origin.do(f"activity b {application.text}", "title b Mine", "set-activity d b")
    assert lap.offer(application, title="Mine")["id"] != first["id"]
    target, command = taken(lap, application, both[1])
    assert decode(target.expect("continue")[1]) == {KEY: link(note[1])}
    command.succeeded()
    # With none there is none, wherever the file goes.
    origin.do("set-activity d -", f"move d {url(note[0].with_name('b.txt'))}")
    lap.no_offer(application)
    origin.do(f"document e {url(note[0].with_name('e.txt'))} text/plain")
    lap.offer(application, title="e.txt")
    assert origin.refused("activity-of d a") == "ENOENT"


def R7_theDaemonIsStartedAnew(origin, desk, lap, application, note):
    origin.do(f"document d {url(note[0])} text/plain")
    first = lap.offer(application)
    desk.stop_daemon()
    origin.expect("state 3")
    # Opened while there is no daemon, it is asked for later.
    origin.do(f"document e {url(desk.containers['notes'] / 'late.png')} image/png")
    desk.segue("status")
    origin.expect("state 1")
    lap.offer(application, title="late.png")
    origin.do("activity-of d a", "current a")
    assert lap.offer(application, title="a list.txt")["id"] == first["id"]


def R7_theApplicationIsStartedAnew(both, lap, application, note):
    origin = both[0].start()
    origin.do(f"document d {url(note[0])} text/plain")
    first = lap.offer(application)
    origin.quit()
    lap.no_offer(application)
    both[0].start().do(f"document d {url(note[0])} text/plain")
    assert lap.offer(application)["id"] != first["id"]


def R7_aContainerThatComesAndGoes(origin, desk, lap, application):
    folder = desk.folder / "home" / "later"
    origin.do(f"document d {url(folder / 'a.txt')} text/plain")
    desk.make_container("later", folder)
    desk.configure()
    try:
        lap.offer(application, title="a.txt")
    finally:
        del desk.containers["later"]
        desk.configure()
    lap.no_offer(application)


def R7_aDeclarationThatComesLater(origin, both, desk, lap, application, note):
    extra, application.lines = application.lines, []
    both[0].write(both[0].desktop, application.desktop_file([application.type]))
    origin.do(f"activity a {application.text}", "current a")
    # It is not declared any more, so it is the daemon that has seen the file.
    desk.activity(application)
    origin.do(f"document d {url(note[0])} text/plain")
    both[0].write(both[0].desktop, "\n".join([application.desktop_file([application.type]), *extra]) + "\n")
    lap.offer(application, type=application.text, title="a list.txt")


def R7_manyDocuments(origin, desk, lap, application):
    notes = desk.containers["notes"]
    for number in range(200):
        origin.send(f"document d{number} {url(notes / f'{number}.txt')} text/plain")
    assert [origin.answer() for _ in range(200)] == ["ok"] * 200
    lap.offer(application, title="199.txt")
    origin.do("activity-of d0 a", "current a")
    lap.offer(application, title="0.txt")


def R7_theMainWindowsDocumentIsCurrent(origin, desk, lap, application):
    notes = desk.containers["notes"]
    for name in ["one", "two"]:
        origin.do(f"document {name} {url(notes / name)}.txt text/plain", f"window w{name} plain", f"shows w{name} {name}")
        lap.offer(application, title=f"{name}.txt")
    origin.do("main wone")
    lap.offer(application, title="one.txt")
    origin.do("main wtwo")
    lap.offer(application, title="two.txt")


# R10, V7, V15


def R10_documentsAndRespondersRestoreInOrderOnce(origin, both, lap, application, note):
    target = both[1].start()
    target.do("responder zoom", f"document d {url(note[1].with_name('other.txt'))} text/html", "responder caret")
    origin.do(f"document d {url(note[0])} text/plain", "state d line int 3")
    offer = lap.offer(application, title="a list.txt")
    origin.do("activity-of d a", "needs-save a 1")
    command = lap.take(offer)
    target.expect("continue")
    command.succeeded()
    assert target.count("restored") == 3
    restored = [event.split() for event in target.seen if event.startswith("restored")]
    assert [name for _, name, _ in restored] == ["zoom", "d", "caret"]
    assert decode(restored[1][2]) == {KEY: link(note[1]), "line": 3}


@pytest.fixture
def shared(origin, lap, application, note):
    """The offer of a document that is open on desk."""
    origin.do(f"document d {url(note[0])} text/plain", "state d line int 3")
    offer = lap.offer(application, title="a list.txt")
    # The round before the offer may have been before the state.
    origin.do("activity-of d a", "delegate a", "needs-save a 1")
    return offer


def opened(target, note):
    where, info = target.expect("open-document")
    assert where == url(note[1])
    assert decode(info) == {KEY: link(note[1]), "line": 3}


@pytest.mark.parametrize("way", ["without continue", "on continue refuse"])
def V7_documentIsOpenedThenRestored(origin, both, lap, application, note, shared, way):
    target = both[1].start()
    target.do("responder zoom", way)
    command = lap.take(shared)
    opened(target, note)
    assert decode(target.expect("restored zoom")[0]) == {KEY: link(note[1]), "line": 3}
    target.expect("restored opened")
    command.succeeded()
    origin.expect("was-continued a")
    assert target.count("continue") == (0 if way.startswith("without") else 1)
    assert target.count("restored") == 2 and target.count("fail") == 0


def V7_documentIsOpenedByAnApplicationThatTheBusLaunches(origin, desk, lap, application, note, install, shared):
    command = lap.take(shared)
    target = lap.installed[-1].launched()
    target.expect("continue")
    command.succeeded()


def V15_aDocumentThatWasOpenedGoesOnWithTheContinuedActivity(origin, both, lap, application, note, shared):
    target = both[1].start()
    target.do("without continue")
    command = lap.take(shared)
    target.expect("restored opened")
    command.succeeded()
    lap.activity(application, title="a list.txt")
    assert target.current() == "continued"
    # It is the document's like any other: it ends with it.
    target.do("close opened")
    assert target.do("current continued") == 1


def V15_aDocumentThatIsOpenAlreadyGoesOnWithTheContinuedActivity(origin, both, lap, application, note, shared):
    target = both[1].start()
    target.do("without continue", "on open-document reuse", f"document mine {url(note[1])} text/plain", "responder r")
    former = lap.activity(application, title="a list.txt")
    target.do("activity-of mine its", "attach r its")
    command = lap.take(shared)
    target.expect("restored mine")
    command.succeeded()
    lap.until(lambda watch: [item["id"] for item in watch.items["activity"].values()
                             if item["app-id"] == application.id] not in ([], [former["id"]]), "another activity")
    assert target.current() == "continued"
    assert target.do("current its") == 1


def V7_documentThatNobodyOpens(origin, both, lap, application, note, shared):
    target = both[1].start()
    target.do("without continue", "on open-document refuse")
    command = lap.take(shared)
    opened(target, note)
    assert "could not restore" in command.failed()
    target.do("without open-document")
    assert "could not restore" in lap.take(lap.offer(application)).failed()
    # Had the origin been told of one of those, it would have come before.
    target = both[1].probes[-1]
    target.quit()
    lap.take(lap.offer(application))
    both[1].launched().expect("continue")
    origin.expect("was-continued a")
    assert origin.count("was-continued") == 1


def V7_documentWithoutARestoration(origin, both, lap, application, note, shared):
    target = both[1].start()
    target.do("without continue", "on open-document drop")
    lap.take(shared).succeeded()
    origin.expect("was-continued a")
    assert target.count("open-document") == 1 and target.count("restored") == 0


def V7_onlyAFilesURLIsADocument(origin, both, lap, application):
    origin.do(f"activity a {application.text}", f"put a {KEY} string file:///etc/hostname", "current a")
    target = both[1].start()
    target.do("without continue")
    assert "could not restore" in lap.take(lap.offer(application)).failed()
    assert target.count("open-document") == 0
