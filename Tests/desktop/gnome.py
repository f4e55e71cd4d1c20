"""GNOME's shell without a screen: its overview is searched and the result activated, as by a person's keys."""

import json
import os
import pathlib
import re
import subprocess

from harness.waiting import wait_for
from harness.wire import Bus, BusError
from people import Reader

PICTURES = pathlib.Path("/segue-test/pictures")
NAME, PATH = "org.gnome.Shell", "/org/gnome/Shell"
#: Lets the test ask the shell for what it shows, and nothing else.
EXTENSION = "tester@segue"
METADATA = {"uuid": EXTENSION, "name": "Tester", "description": "Lets a test look."}
#: Extensions are modules from 45 on.
FIRST_OF_MODULES = 45
SCRIPT = "function init() {}\nfunction enable() { global.context.unsafe_mode = true; }\nfunction disable() {}\n"
MODULE = "export default class { enable() { global.context.unsafe_mode = true; } disable() {} }\n"


#: A pointer of the shell's own, as far as its input goes.
CLICK = """(() => {
  const {Clutter, GLib} = imports.gi;
  global.segueTest = global.segueTest || Clutter.get_default_backend().get_default_seat()
    .create_virtual_device(Clutter.InputDeviceType.POINTER_DEVICE);
  const pointer = global.segueTest;
  pointer.notify_absolute_motion(GLib.get_monotonic_time(), %d, %d);
  for (const state of [Clutter.ButtonState.PRESSED, Clutter.ButtonState.RELEASED])
    pointer.notify_button(GLib.get_monotonic_time(), Clutter.BUTTON_PRIMARY, state);
  return true;
})()"""

BANNERS = """new imports.gi.Gio.Settings({schema_id: 'org.gnome.desktop.notifications'}).set_boolean('show-banners', true)"""

#: The desktop as a person has it: the shell begins with its overview, and warns of the test's own mode.
TIDY = """(() => {
  Main.overview.hide();
  const warning = Main.panel.statusArea.quickSettings._unsafeMode;
  if (warning) warning.visible = false;
  return true;
})()"""


def connect(user):
    """A connection to the user's bus, which lets in this user alone."""
    os.seteuid(user.entry.pw_uid)
    try:
        return Bus(user.environment["DBUS_SESSION_BUS_ADDRESS"].removeprefix("unix:path="))
    finally:
        os.seteuid(0)


class Shell:
    def __init__(self, user, *extensions, **variables):
        """With these extensions, which are installed, and these variables besides those of the user."""
        self.user = user
        version = int(re.search(r"\d+", user.run("gnome-shell", "--version")).group())
        folder = user.home / f".local/share/gnome-shell/extensions/{EXTENSION}"
        user.run("mkdir", "-p", str(folder))
        (folder / "metadata.json").write_text(json.dumps({**METADATA, "shell-version": [str(version)]}))
        (folder / "extension.js").write_text(MODULE if version >= FIRST_OF_MODULES else SCRIPT)
        user.environment |= {"GSETTINGS_BACKEND": "keyfile", "XDG_SESSION_TYPE": "wayland", "LIBGL_ALWAYS_SOFTWARE": "1"}
        user.run("gsettings", "set", "org.gnome.shell", "enabled-extensions", str([EXTENSION, *extensions]))
        # A menu is whole at once.
        user.run("gsettings", "set", "org.gnome.desktop.interface", "enable-animations", "false")
        # The shell would tell of the test's extension.
        user.run("gsettings", "set", "org.gnome.desktop.notifications", "show-banners", "false")
        user.run("gsettings", "set", "org.gnome.shell", "welcome-dialog-last-shown-version", "'99'")
        # The shell needs a system bus, and none of its services.
        system = f"{user.environment['XDG_RUNTIME_DIR']}/system-bus"
        self.system = user.start(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address=unix:path={system}"],
            stderr=subprocess.DEVNULL)
        wait_for(lambda: os.path.exists(system), "the system bus")
        user.environment["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={system}"
        set_too = [f"{name}={value}" for name, value in variables.items()]
        self.process = user.start(
            ["env", *set_too, "gnome-shell", "--headless", "--wayland", "--no-x11", "--virtual-monitor", "1280x720"],
            stdout=open("/segue-test/shell.log", "ab"), stderr=subprocess.STDOUT)
        self.bus = connect(user)
        self.bus.wait_for_owner(NAME, 60)
        wait_for(lambda: self.eval("1 + 1") == 2, "the shell")

    def eval(self, code):
        """What the shell makes of JavaScript; None where it cannot yet."""
        try:
            done, text = self.bus.call(NAME, PATH, NAME, "Eval", "s", [code], timeout=60)
        except BusError:
            return None
        return json.loads(text) if done and text else None

    def tidy(self):
        wait_for(lambda: self.eval("!Main.layoutManager._startingUp"), "the desktop")
        self.eval(TIDY)
        wait_for(lambda: self.eval("!Main.overview.visible"), "the end of the overview")

    def click(self, at):
        self.eval(CLICK % tuple(at))

    def show_banners(self):
        self.eval(BANNERS)

    def show_overview(self, query):
        self.eval("Main.overview.show(); true")
        wait_for(lambda: self.eval("Main.overview.visible && !Main.overview.animationInProgress"), "the overview")
        self.eval(f"Main.overview.searchEntry.set_text({json.dumps(query)}); true")
        return wait_for(lambda: self.eval(SHOWN), "the result in the overview")

    def find_in_overview(self, title, picture):
        """Clicks on what the overview finds by the title."""
        self.show_overview(title)
        # It is there before it has a place.
        at = wait_for(
            lambda: next((at for name, _, at in self.eval(SHOWN) or [] if name == title and None not in at), None),
            "the result's place")
        self.picture(picture)
        self.click(at)

    def click_banner(self, title, picture):
        """Clicks on the banner of a notification with the title."""

        def banner():
            seen = self.eval(BANNER)
            return seen and any(title in text for text in seen["texts"]) and seen

        seen = wait_for(banner, "the banner")
        self.picture(picture)
        self.click(seen["at"])

    def click_message(self, title, picture):
        """Clicks on a notification in the list below the clock, where the shell has those that are not urgent."""
        self.eval("Main.panel.statusArea.dateMenu.menu.open(); true")

        def place():
            at = self.eval(MESSAGE % json.dumps(title))
            return at and None not in at and at

        at = wait_for(place, "the notification in the list")
        self.picture(picture)
        self.click(at)

    def close_list(self):
        self.eval("Main.panel.statusArea.dateMenu.menu.close(); true")

    def picture(self, name):
        path = PICTURES / f"{name}.png"
        done, used = self.bus.call(
            NAME, "/org/gnome/Shell/Screenshot", "org.gnome.Shell.Screenshot", "Screenshot", "bbs", [False, False, f"/tmp/{name}.png"],
            timeout=60)
        assert done
        path.write_bytes(pathlib.Path(used).read_bytes())

    def close(self):
        self.bus.close()
        for process in (self.process, self.system):
            process.kill()
            process.wait()


#: The banner of a notification: its texts, and its middle.
BANNER = """(() => {
  const banner = Main.messageTray._banner;
  if (!banner || !banner.mapped) return null;
  const texts = actor => actor.get_children().flatMap(one =>
    !one.visible ? [] : one.clutter_text && one.text ? [one.text] : texts(one));
  const [x, y] = banner.get_transformed_position(), [width, height] = banner.get_transformed_size();
  return {texts: texts(banner), at: [Math.round(x + width / 2), Math.round(y + height / 3)]};
})()"""

#: The middle of the text with these words, in the list of notifications.
MESSAGE = """(() => {
  const find = actor => {
    for (const one of actor.get_children()) {
      if (!one.visible) continue;
      if (one.clutter_text && one.mapped && (one.text || '').includes(%s)) return one;
      const found = find(one);
      if (found) return found;
    }
    return null;
  };
  const found = Main.panel.statusArea.dateMenu.menu.isOpen && find(Main.panel.statusArea.dateMenu.menu.box);
  if (!found) return null;
  const [x, y] = found.get_transformed_position(), [width, height] = found.get_transformed_size();
  return [Math.round(x + width / 2), Math.round(y + height / 2)];
})()"""

#: The results of the provider, as they stand on the screen, and the middle of each.
SHOWN = """(() => {
  const middle = actor => {
    const [x, y] = actor.get_transformed_position(), [width, height] = actor.get_transformed_size();
    return [Math.round(x + width / 2), Math.round(y + height / 2)];
  };
  const found = Main.overview._overview._controls._searchController._searchResults;
  const provider = found._providers.find(one => one.id === 'org.segue.Desktop.desktop');
  if (!provider || found.searchInProgress || !provider.display || !provider.display.visible) return [];
  return provider.display._resultDisplayBin.get_child().get_children()
    .concat(provider.display._content ? provider.display._content.get_children() : [])
    .filter(one => one.metaInfo).map(one => [one.metaInfo.name, one.metaInfo.description || '', middle(one)]);
})()"""


def overview(desk, lap):
    shell = Shell(lap)
    reader, place = Reader(desk), Reader(lap)
    reader.do("search Termination")
    at = reader.until("at line").split()[2]
    wait_for(lap.offers, "an offer")
    print(f"the overview shows {shell.show_overview('gpl')}")
    shell.picture("overview")
    shell.eval("Main.overview._overview._controls._searchController._searchResults.activateDefault(); true")
    line = place.until("continued")
    assert line.endswith(f"line {at}"), (line, at)
    for each in (reader, place):
        each.end()
    shell.close()

