"""Continuation streams beside the least that could stand in their place: two forwarders, and TLS between them."""

import collections
import contextlib
import socket
import subprocess
import threading

from devices import Device, link
from measures import device_memory
from rows import Row, p50, p99

ROUNDS = 5
SAMPLES = 100
BYTES = 256 * 1024 * 1024
# Seconds between two looks at a daemon's memory.
LOOK = 0.02


def measure(folder, prefix, programs, forward):
    """Both sides in turns: 256 MiB each time, and single bytes there and back."""
    ours, bare, pair = (collections.defaultdict(list) for _ in range(3))
    peaks = []
    certificate = make_certificate(folder) if forward.exists() else None
    origin, continuing = (Device(folder, name, prefix) for name in ("origin", "continuing"))
    origin.install(programs / "stream-origin")
    continuing.install(programs / "stream-continuing", SAMPLES, 1, BYTES)
    with origin, continuing:
        link(origin, continuing)
        running = origin.spawn(programs / "stream-origin")
        try:
            for _ in range(ROUNDS):
                wait_for_offer(continuing)
                idle = {device.pid: device_memory(device.pid)["Pss"] for device in (origin, continuing)}
                with highest(idle) as peak:
                    add(ours, continued(continuing, programs))
                peaks.append(max(peak[pid] - idle[pid] for pid in idle))
                if certificate:
                    add(bare, forwarded(programs, forward, certificate))
                add(pair, joined(programs))
        finally:
            running.terminate()
            running.wait()
    if not certificate:
        print("bench: no forwarders to compare with: scripts/build-daemon stream-forward")
    rate, floor = p50(ours["rate"]), p50(bare["rate"]) if certificate else None
    opened = p50(ours["opened"]) / 1000
    return [
        Row("a bare socket pair", "MiB/s", baseline=p50(pair["rate"])),
        Row(
            "256 MiB through a stream (baseline: two forwarders and TLS)", "MiB/s", rate, None, floor, ">= 0.85",
            None if floor is None else rate >= 0.85 * floor),
        Row("the same", "MiB/s", rate, aim=">= 300 MiB/s", met=rate >= 300),
        Row("a new stream, from the request to its first byte", "ms", opened, p99(ours["opened"]) / 1000, None,
            "<= 2 ms", opened <= 2),
        Row("a byte there and back on a stream", "ms", p50(ours["first"]) / 1000, p99(ours["first"]) / 1000,
            p50(bare["first"]) / 1000 if certificate else None),
        Row("a daemon's memory in a transfer, beyond idle, at most", "MiB", max(peaks), aim="<= 4 MiB",
            met=max(peaks) <= 4),
    ]


def add(samples, output):
    for line in output.splitlines():
        key, value = line.split()
        samples[key].append(float(value))


def wait_for_offer(device):
    """Until the activity is on offer there, which `segue watch` tells."""
    watch = subprocess.Popen(
        [device.prefix / "bin/segue", "watch", "--json"], env=device.environment, stdout=subprocess.PIPE, text=True)
    try:
        for line in watch.stdout:
            if '"event":"offer"' in line.replace(" ", ""):
                return
    finally:
        watch.terminate()
        watch.wait()
        watch.stdout.close()


def continued(device, programs):
    """What the application prints that continues, started by hand: what the bus launches prints nowhere."""
    command = [programs / "stream-continuing", str(SAMPLES), "1", str(BYTES)]
    with subprocess.Popen(command, env=device.environment, stdout=subprocess.PIPE, text=True) as running:
        if running.stdout.readline() != "ready\n":
            raise RuntimeError("the application that continues is not registered")
        device.segue("continue", "--latest")
        return running.communicate(timeout=120)[0]


def joined(programs):
    """Both ends of one socket pair."""
    one, other = socket.socketpair()
    return between(programs, one, other)


def between(programs, one, other):
    """What is measured between two sockets, which it closes."""
    with one, other:
        command = [programs / "stream-bare", "serve", str(one.fileno())]
        with subprocess.Popen(command, pass_fds=[one.fileno()]):
            one.close()
            command = [programs / "stream-bare", "ask", str(other.fileno()), str(SAMPLES), "1", str(BYTES)]
            done = subprocess.run(
                command, pass_fds=[other.fileno()], check=True, stdout=subprocess.PIPE, text=True, timeout=120)
            other.close()
            return done.stdout


def forwarded(programs, forward, certificate):
    """The same between two forwarders: socket pair, TLS, socket pair."""
    (one, inner), (other, outer) = socket.socketpair(), socket.socketpair()
    with contextlib.ExitStack() as running, inner, outer:
        def start(role, end, port):
            command = [forward, role, str(end.fileno()), *certificate, str(port)]
            process = running.enter_context(
                subprocess.Popen(command, pass_fds=[end.fileno()], stdout=subprocess.PIPE, text=True))
            running.callback(process.terminate)
            end.close()
            return process

        port = start("server", inner, 0).stdout.readline().strip()
        start("client", outer, port)
        return between(programs, one, other)


def make_certificate(folder):
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
         "-subj", "/CN=bench", "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
    return str(certificate), str(key)


@contextlib.contextmanager
def highest(pids):
    """The most memory that each process has while this lasts."""
    peak = dict.fromkeys(pids, 0.0)
    over = threading.Event()

    def look():
        while not over.wait(LOOK):
            for pid in peak:
                peak[pid] = max(peak[pid], device_memory(pid)["Pss"])

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()
