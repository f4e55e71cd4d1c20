"""Harms to devices: outages, deaths, sleeps, clocks and disks. Each is over after a while."""

import signal

from harness.network import ip


class Harms:
    def __init__(self, soak):
        self.soak = soak
        #: How many harms are not over.
        self.open = 0

    def do(self, act, device=None):
        device = device or act.pick(0, self.soak.devices)
        getattr(self, act.kind.replace("-", "_"))(act, device)

    def upon(self, act, will):
        """A harm in the middle of a choice: to the device that chose, or to the one that has it."""
        devices = [will.device] + [one for one in self.soak.devices if one.name == will.offer["device-name"]]
        getattr(self, act.harm.replace("-", "_"))(act, act.pick(5, devices))

    def over(self, seconds, callback):
        self.open += 1

        def end():
            self.open -= 1
            callback()

        self.soak.loop.after(seconds, end)

    # The network

    def unplug(self, act, device):
        """Packets are lost, and the device is not notified."""
        if device.is_cut:
            return
        device.is_cut = True
        device.befallen("cable pulled")
        device.host.unplug()
        self.over(0.5 + 30 * act.dice[6] ** 2, lambda: self.plug(device))

    def plug(self, device):
        device.host.plug()
        device.is_cut = False
        device.befallen("cable back")

    def link_down(self, act, device):
        """The device knows that it has no network."""
        if device.is_cut:
            return
        device.is_cut = True
        device.befallen("network down")
        ip("-n", device.host.name, "link", "set", "eth0", "down")
        self.over(0.2 + 8 * act.dice[6] ** 2, lambda: self.link_up(device))

    def link_up(self, device):
        ip("-n", device.host.name, "link", "set", "eth0", "up")
        device.is_cut = False
        device.befallen("network up")

    # Processes

    def restart(self, act, device):
        if not device.is_steady:
            device.end_daemon(signal.SIGTERM)

    def kill(self, act, device):
        if not device.is_steady:
            device.end_daemon(signal.SIGKILL)

    def stop(self, act, device):
        """The daemon hangs."""
        self.suspend([device.daemon] if device.daemon else [], device, 0.1 + 7 * act.dice[6] ** 2, "daemon")

    def suspend(self, pids, device, seconds, what):
        device.befallen(f"{what} stopped for {seconds:.1f} s")
        device.send(pids, signal.SIGSTOP)
        self.over(seconds, lambda: device.send(pids, signal.SIGCONT))

    def kill_application(self, act, device):
        if processes := [process for process in device.running() if not process.is_steady]:
            process = act.pick(2, processes)
            self.soak.log(f"{process.name}: killed")
            process.kill("killed")

    def stop_application(self, act, device):
        if processes := device.running():
            process = act.pick(2, processes)
            self.suspend([process.pid], device, 0.1 + 12 * act.dice[6] ** 2, process.name)

    # Clocks

    def sleep(self, act, device):
        """The whole machine stands still; when it goes on, hours may have gone by."""
        self.suspend(device.everything(), device, 1 + 6 * act.dice[6], "machine")
        device.machine.sleep(int(10 + 10_000 * act.dice[3] ** 2))

    def set_clock(self, act, device):
        """Somebody sets the clock wrong, and later right again."""
        seconds = int((act.dice[3] - 0.5) * 2 * (86_400 * 20 if act.dice[4] < 0.8 else 86_400 * 365 * 20))
        device.befallen(f"clock set by {seconds} s")
        device.machine.set_clock(seconds)
        self.over(1 + 20 * act.dice[6], lambda: self.set_right(device))

    def set_right(self, device):
        device.machine.set_clock(-device.machine.set // 1000)
        device.befallen("clock set right")

    # The disk

    def fill_disk(self, act, device):
        if device.is_full:
            return
        device.befallen("disk full")
        device.fill()
        self.over(1 + 20 * act.dice[6], lambda: self.make_room(device))

    def make_room(self, device):
        device.empty()
        device.befallen("disk has room")
