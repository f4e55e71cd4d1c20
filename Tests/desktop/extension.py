"""The icon that Segue's extension puts into GNOME's panel: a pointer clicks it, and then what its menu offers."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess

from gnome import Shell, connect
from harness.bounds import SECONDS
from harness.waiting import wait_for
from people import Reader

UUID = "segue@segue.org"
WATCHER = "org.kde.StatusNotifierWatcher"
TITLE = "GPL-3"
LOCALE = "ar_EG"
#: How often it is enabled and disabled again.
TIMES = 10

#: The icon as it stands in the panel: None where there is none, else its menu's texts, from which side they begin, and
#: where a pointer finds each.
LOOK = f"""(() => {{
  const button = Main.panel.statusArea['{UUID}'];
  if (!button || !button.mapped || !button.has_allocation()) return null;
  const texts = actor => actor.get_children().flatMap(one =>
    !one.visible ? [] : one.clutter_text && one.text ? [one] : texts(one));
  const middle = actor => {{
    const [x, y] = actor.get_transformed_position(), [width, height] = actor.get_transformed_size();
    return [Math.round(x + width / 2), Math.round(y + height / 2)];
  }};
  return {{
    name: button.accessible_name, at: middle(button), isOpen: button.menu.isOpen,
    items: button.menu.isOpen ? button.menu._getMenuItems().map(item => ({{
      name: item.accessible_name, at: middle(item), texts: texts(item).map(one => one.text),
      textAt: texts(item).map(one => middle(one)[0])[0], iconAt: item.get_children().filter(one => one.gicon).map(one => middle(one)[0])[0],
    }})) : [],
  }};
}})()"""

#: The texts of the shell's notifications, by their names before and since 46.
TOLD = """Main.messageTray.getSources().flatMap(source =>
  source.notifications.map(one => one.body || one.bannerBodyText || ''))"""


class Icon:
    def __init__(self, shell):
        self.shell = shell
        shell.tidy()

    def look(self):
        return self.shell.eval(LOOK)

    def there(self):
        return wait_for(self.look, "the icon")

    def gone(self):
        wait_for(lambda: self.look() is None and self.shell.eval("1 + 1") == 2, "the icon's end")

    def click(self, at, done, what):
        """Clicks, and once more where that did nothing: a click meets what stood there in the last frame."""
        for is_last in (False, False, True):
            self.shell.click(at)
            try:
                return wait_for(done, what, seconds=SECONDS if is_last else SECONDS / 10)
            except AssertionError:
                if is_last:
                    raise

    def is_open(self):
        icon = self.look()
        return icon is not None and icon["isOpen"]

    def menu(self):
        """Opens the menu with a click: what stands in it."""
        if not self.is_open():
            self.click(self.there()["at"], self.is_open, "the menu")
        seen = [None]

        def is_at_rest():
            seen.append(self.there()["items"])
            return seen[-1] and seen[-1] == seen[-2]

        wait_for(is_at_rest, "the menu at rest")
        return seen[-1]

    def choose(self, item):
        self.click(item["at"], lambda: not self.is_open(), "the end of the menu")

    def enable(self, is_enabled):
        self.shell.eval(f"Main.extensionManager.{'enable' if is_enabled else 'disable'}Extension('{UUID}'); true")


@contextlib.contextmanager
def overheard(user):
    """All that is said on the user's bus with the daemon: a file, whole at the end."""
    path = pathlib.Path("/segue-test/overheard.log")
    names = ["org.segue.Control1", "org.segue.Daemon1"]
    rules = [f"{key}='{name}'" for name in names for key in ("sender", "destination")]
    with open(path, "wb") as file:
        monitor = user.start(["dbus-monitor", "--session", *rules], stdout=file, stderr=subprocess.STDOUT)
        try:
            wait_for(lambda: path.read_bytes(), "the monitor")
            yield path
        finally:
            monitor.terminate()
            monitor.wait()


def descriptors(process):
    return len(os.listdir(f"/proc/{process}/fd"))


def text_on(desk):
    """A text that is open on desk: (reader, line)."""
    reader = Reader(desk)
    reader.do("search Termination")
    return reader, re.search(r"at line (\d+) of", reader.until("at line")).group(1)


def extension(desk, lap):
    with overheard(lap) as said:
        reader, at = text_on(desk)
        place = Reader(lap)
        shell = Shell(lap, UUID)
        icon = Icon(shell)
        is_continued(shell, icon, place, at)
        reader.do("search Warranty")
        icon.there()
        is_not_on_a_locked_screen(shell, icon)
        gives_way(lap, icon)
        survives(lap, icon)
        leaks_nothing(lap, shell, icon)
        tells_of_silence(lap, shell, icon)
    messages = re.split(r"^(?=method|signal|error)", said.read_text(), flags=re.MULTILINE)
    assert any("member=OpenDoor" in message for message in messages)
    # A notification has the title.
    heard = [message for message in messages if TITLE in message and "interface=org.freedesktop.Notifications" not in message]
    assert not heard, f"a title crossed the session bus: {heard}"
    shell.close()
    # The daemon that was silent may have heard the click.
    for each in (reader, place):
        each.end()
    reader, _ = text_on(desk)
    wait_for(lap.offers, "an offer")
    is_mirrored(lap)
    reader.end()


def is_continued(shell, icon, place, at):
    assert icon.there()["name"] == "Segue"
    shell.picture("extension-icon")
    item, *others = icon.menu()
    print(f"the menu has {[one['texts'] for one in (item, *others)]}")
    assert item["texts"] == [TITLE, "From \u2068device of desk\u2069"] and item["name"] == ", ".join(item["texts"])
    assert others[-1]["texts"] == ["Open Segue"] and item["iconAt"] < item["textAt"]
    shell.picture("extension")
    icon.choose(item)
    line = place.until("continued")
    assert line.endswith(f"line {at}"), (line, at)
    icon.gone()


def is_not_on_a_locked_screen(shell, icon):
    shell.eval("Main.sessionMode.pushMode('unlock-dialog'); true")
    icon.gone()
    assert shell.eval(f"Main.panel.statusArea['{UUID}'] === undefined")
    shell.eval("Main.sessionMode.popMode('unlock-dialog'); true")
    icon.there()


def gives_way(lap, icon):
    """Another extension shows the daemon's own item."""
    watcher = connect(lap)
    watcher.own(WATCHER)
    icon.gone()
    watcher.close()
    icon.there()


def survives(lap, icon):
    """A daemon that ends, one that starts, and one that says nothing."""
    former = lap.daemon()
    os.kill(former, signal.SIGKILL)
    # The application on this device has it started again.
    daemon = wait_for(lambda: lap.daemon() not in (None, former) and lap.daemon(), "another daemon")
    assert icon.menu()[0]["texts"][0] == TITLE
    os.kill(daemon, signal.SIGSTOP)
    for is_enabled in (False, True, False, True):
        icon.enable(is_enabled)
        icon.gone()
    os.kill(daemon, signal.SIGCONT)
    assert icon.menu()[0]["texts"][0] == TITLE


def leaks_nothing(lap, shell, icon):
    def counts():
        shell.eval("imports.system.gc(); true")
        children = shell.eval("[Main.panel._rightBox, Main.layoutManager.uiGroup].map(one => one.get_n_children())")
        return [descriptors(shell.process.pid), descriptors(lap.daemon()), *children]

    def again():
        icon.enable(False)
        icon.gone()
        icon.enable(True)
        icon.there()

    again()
    before = counts()
    for _ in range(TIMES):
        again()
    wait_for(lambda: all(now <= then for now, then in zip(counts(), before)), f"no more than {before}")
    print(f"enabled {TIMES} times, there are no more descriptors and actors than {before}")


def tells_of_silence(lap, shell, icon):
    """A daemon that stops answering while its offers are shown: a click is not waited for without end."""
    item = icon.menu()[0]
    shell.show_banners()
    daemon = lap.daemon()
    os.kill(daemon, signal.SIGSTOP)
    icon.choose(item)
    wait_for(lambda: "The Segue daemon does not answer." in shell.eval(TOLD), "the sentence")
    icon.gone()
    os.kill(daemon, signal.SIGCONT)


def is_mirrored(lap):
    """In a locale that is written from right to left, the icon stands at the right, and the words are that language's."""
    subprocess.run(["localedef", "-i", LOCALE, "-f", "UTF-8", f"{LOCALE}.UTF-8"], check=True)
    shell = Shell(lap, UUID, LC_ALL=f"{LOCALE}.UTF-8", CLUTTER_TEXT_DIRECTION="rtl")
    item, *others = Icon(shell).menu()
    assert item["iconAt"] > item["textAt"] and others[-1]["texts"] == ["افتح Segue"], (item, others)
    shell.picture("extension-rtl")
    shell.close()
