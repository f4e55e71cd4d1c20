"""Notification servers on a device's bus: two real ones, and one that misbehaves as those never would."""

import json
import os
import select
import shutil
import subprocess
import time

import pytest
from dbus_fast import Message, MessageType, unpack_variants

from .bounds import SECONDS
from .lines import Lines
from .wayland import Pointer

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"


class Screen:
    """The notifications that a device shows, as its bus saw them: this works with any server, and sends it nothing."""

    def __init__(self, device):
        self.bus = device.bus()
        self.bus.monitor()
        #: The notifications that are shown now, by the server's number, oldest first.
        self.shown = {}
        #: Every notification that was shown, in order.
        self.history = []
        #: Signals of actions: (member, arguments).
        self.actions = []
        #: Capabilities asked, notices closed, and so on.
        self.calls = []
        self.asked = {}
        #: How many of those calls failed.
        self.failures = 0
        self.pending = set()
        #: Connections that have ended.
        self.left = set()

    def take(self, message):
        for descriptor in message.unix_fds:
            os.close(descriptor)
        if message.message_type == MessageType.METHOD_CALL and message.interface == NAME:
            body = unpack_variants(message.body)
            self.calls.append((message.member, body))
            self.pending.add((message.sender, message.serial))
            if message.member == "Notify":
                self.asked[(message.sender, message.serial)] = body
        elif message.message_type == MessageType.METHOD_RETURN:
            body = self.asked.pop((message.destination, message.reply_serial), None)
            if body is not None:
                keys = ["application", "replaces", "icon", "summary", "body", "actions", "hints", "expires"]
                notification = dict(zip(keys, body), id=message.body[0])
                self.shown[notification["id"]] = notification
                self.history.append(notification)
        elif message.message_type == MessageType.ERROR:
            self.failures += (message.destination, message.reply_serial) in self.pending
        elif message.member == "NameOwnerChanged" and message.body[2] == "":
            self.left.add(message.body[0])
        elif message.message_type == MessageType.SIGNAL and message.interface == NAME:
            if message.member == "NotificationClosed":
                self.shown.pop(message.body[0], None)
            else:
                self.actions.append((message.member, message.body))

    def until(self, found, what, timeout=SECONDS):
        deadline = time.monotonic() + timeout
        while not (result := found()):
            left = deadline - time.monotonic()
            try:
                assert left > 0, f"{what} did not come: {self.shown}"
                self.take(self.bus.receive(left))
            except TimeoutError:
                raise AssertionError(f"{what} did not come: {list(self.shown.values())}") from None
        return result

    def notification(self, *texts, timeout=SECONDS):
        """Waits until a notification with all these texts is shown."""
        def found():
            for notification in self.shown.values():
                whole = notification["summary"] + "\n" + notification["body"]
                if all(text in whole for text in texts):
                    return notification
            return None

        return self.until(found, f"a notification with {texts}", timeout)

    def gone(self, notification):
        self.until(lambda: notification["id"] not in self.shown, f"the end of {notification}")

    def catch_up(self, device):
        """Takes in all that has happened until now."""
        with device.bus() as bus:
            bus.ask("GetId")
            mark = bus.name
        self.until(lambda: mark in self.left, "the mark")

    def close(self):
        self.bus.close()


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


class Compositor:
    """sway without a screen, and a pointer."""

    def __init__(self, device):
        need("sway", "mako")
        self.device = device
        self.folder = device.folder / "run"
        fifo = self.folder / "sway-ready"
        os.mkfifo(fifo)
        configuration = device.folder / "sway.conf"
        configuration.write_text(
            f"xwayland disable\noutput HEADLESS-1 resolution 640x480\nexec echo $WAYLAND_DISPLAY > {fifo}\n")
        environment = {
            **device.environment, "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1",
            "WLR_RENDERER": "pixman"}
        # sway refuses to run as root.
        change = ["unshare", "--user", "--map-user=1000", "--map-group=1000"] if os.getuid() == 0 else []
        self.process = subprocess.Popen(
            [*change, "sway", "-c", configuration], env=environment, stdin=subprocess.DEVNULL, stdout=device.log,
            stderr=device.log)
        self.display = self.read(fifo)
        self.pointer = Pointer(self.folder / self.display)

    def read(self, fifo):
        descriptor = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        ended = os.pidfd_open(self.process.pid)
        try:
            ready = select.select([descriptor, ended], [], [], SECONDS)[0]
            if ended in ready or not ready:
                pytest.skip("sway does not run here")
            return Lines(descriptor).next()
        finally:
            os.close(descriptor)
            os.close(ended)

    def close(self):
        self.pointer.close()
        self.process.kill()
        self.process.wait()


class Server:
    """A real server that runs until it is closed."""

    def start(self, device, command, **environment):
        self.device = device
        self.environment = {**device.environment, **environment}
        self.process = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=device.log, stderr=device.log)
        with device.bus() as bus:
            bus.wait_for_owner(NAME)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Mako(Server):
    """The server in Debian that gives activation tokens."""

    def __init__(self, device):
        self.compositor = Compositor(device)
        self.restart()

    def restart(self):
        self.start(
            self.compositor.device, ["mako", "--anchor", "top-left", "--default-timeout", "0"],
            WAYLAND_DISPLAY=self.compositor.display)

    def control(self, *arguments):
        return subprocess.run(
            ["makoctl", *map(str, arguments)], env=self.environment, check=True, stdout=subprocess.PIPE,
            timeout=SECONDS).stdout

    def list(self):
        """The notifications that the server lists: (summary, body) each."""
        return [(one["summary"]["data"], one["body"]["data"]) for one in json.loads(self.control("list"))["data"][0]]

    def dismiss(self, notification):
        self.control("dismiss", "-n", notification["id"])

    def invoke(self, notification, action="default"):
        self.control("invoke", "-n", notification["id"], action)

    def click(self, screen):
        """Clicks at the top left until a notification there takes it: it is drawn some time after it was asked for."""
        for _ in range(100):
            self.compositor.pointer.click(60, 40, 640, 480)
            try:
                return screen.until(lambda: screen.actions, "an action", timeout=0.2)
            except AssertionError:
                pass
        raise AssertionError("the notification takes no click")

    def close(self):
        self.kill()
        self.compositor.close()


class Dunst(Server):
    """A server for X11; it gives no activation tokens."""

    def __init__(self, device):
        need("Xvfb", "dunst")
        reader, writer = os.pipe()
        self.x_server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"],
            env=device.environment, stdin=subprocess.DEVNULL, stdout=device.log, stderr=device.log, pass_fds=[writer])
        os.close(writer)
        display = Lines(reader).next()
        os.close(reader)
        self.device, self.display = device, display
        self.configuration = device.folder / "dunstrc"
        self.configuration.write_text("[global]\nmarkup = full\n")
        self.restart()

    def restart(self):
        self.start(self.device, ["dunst", "-conf", self.configuration], DISPLAY=f":{self.display}")

    def call(self, member, signature="", body=()):
        with self.device.bus() as bus:
            return bus.call(NAME, PATH, "org.dunstproject.cmd0", member, signature, body)

    def invoke(self, notification, action="default"):
        self.call("NotificationAction", "u", [0])

    def dismiss(self, notification):
        self.call("NotificationCloseLast")

    def close(self):
        self.kill()
        self.x_server.kill()
        self.x_server.wait()


class Scripted:
    """A hand-made server: it lacks capabilities that others have, is slow, or ends in the middle."""

    def __init__(self, device, capabilities=("body", "actions")):
        self.capabilities = list(capabilities)
        self.bus = device.bus()
        self.bus.own(NAME)
        self.count = 0
        #: The notifications that it was told to close.
        self.closed = []

    def next(self):
        """The next Notify, which is not answered yet; other calls are answered on the way."""
        while (call := self.bus.next_call()).member != "Notify":
            self.answer(call)
        return call

    def answer(self, call):
        if call.member == "GetCapabilities":
            self.bus.answer(call, "as", [self.capabilities])
        else:
            assert call.member == "CloseNotification", call.member
            self.closed.append(call.body[0])
            self.bus.answer(call)

    def until_closed(self, number):
        while number not in self.closed:
            self.answer(self.bus.next_call())

    def show(self):
        """Takes one notification: (its number, its arguments)."""
        call = self.next()
        self.count = call.body[1] or self.count + 1
        self.bus.answer(call, "u", [self.count])
        return self.count, unpack_variants(call.body)

    @staticmethod
    def message(member, signature, *arguments):
        return Message.new_signal(PATH, NAME, member, signature, list(arguments))

    def signal(self, member, signature, *arguments):
        self.bus.send(self.message(member, signature, *arguments))

    def close(self):
        self.bus.close()
