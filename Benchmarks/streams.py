"""Continuation streams beside the least that could stand in their place: two forwarders, and TLS between them."""

import collections
import contextlib
import fcntl
import os
import pathlib
import socket
import subprocess
import threading
import types

from devices import APP, Device, link, make_fifo, placed
from measures import ECHO, device_memory, drive
from rows import Row, p50, p99

ROUNDS = 5
SAMPLES = 100
BYTES = 256 * 1024 * 1024
# The processors of the two sides, which are two machines as a rule. Where the system places four processes on two
# processors anew each time, what they carry varies by half.
SIDES = (0, 1)
# Seconds between two looks at a daemon's memory.
LOOK = 0.02
# Streams that share a link, and for how many seconds.
CROWD, SHARING = 16, 3
FETCHES = 300
LOOPBACK = types.SimpleNamespace(prefix=[], address="127.0.0.1")
# From linux/fcntl.h, and from Limits.streamPipeBytes.
F_SETPIPE_SZ, PIPE = 1031, 256 * 1024


def measure(folder, prefix, programs, forward):
    crossing = transfer(folder, prefix, programs, forward)
    return crossing + here(programs) + together(folder / "together", prefix, programs)


def here(programs):
    """A stream between two applications of one device: the daemon only makes it. Input and output are two descriptors
    (semantics T3), so that two bare pipes are what stands beside it; two socket pairs, each shut down one way, would serve
    too."""
    found = collections.defaultdict(list)
    for _ in range(ROUNDS):
        found["ours"] += rates(piped(programs, PIPE))
        found["bare"] += rates(piped(programs))
        found["pairs"] += rates(one_way_pairs(programs))
    ours, bare, pairs = (p50(found[name]) for name in ("ours", "bare", "pairs"))
    return [
        Row("256 MiB by the pipes of one device (baseline: two bare pipes)", "MiB/s", ours, None, bare, ">= 0.9",
            ours >= 0.9 * bare),
        Row("two socket pairs in their place, each shut down one way", "MiB/s", baseline=pairs),
    ]


def piped(programs, size=None):
    """Two pipes, one each way, of the system's size or of another."""
    (there, to), (back, answer) = (os.pipe(), os.pipe())
    if size is not None:
        for end in (to, answer):
            fcntl.fcntl(end, F_SETPIPE_SZ, size)
    return between(programs, (there, answer), (back, to))


def one_way_pairs(programs):
    """Two socket pairs, one each way: the end that is read from cannot be written to."""
    (there, to), (back, answer) = (socket.socketpair() for _ in range(2))
    for reading in (there, back):
        reading.shutdown(socket.SHUT_WR)
    return between(programs, (there.detach(), answer.detach()), (back.detach(), to.detach()))


def rates(output):
    samples = collections.defaultdict(list)
    add(samples, output)
    return samples["rate"]


def together(folder, prefix, programs):
    """Many streams at once, and continuations beside one that is at full speed."""
    alone = fetches(folder / "idle", prefix, programs, 0)
    busy = fetches(folder / "busy", prefix, programs, 1)
    shares = crowd(folder / "crowd", prefix, programs)
    apart = max(shares) / min(shares) - 1
    later = p99(busy) - p99(alone)
    return [
        Row(f"{CROWD} streams at once: all of them", "MiB/s", sum(shares)),
        Row(f"{CROWD} streams at once: the most beyond the least", "%", 100 * apart, aim="<= 20 %", met=apart <= 0.2),
        Row("a continuation beside a transfer (baseline: without)", "ms", p50(busy), p99(busy), p50(alone)),
        Row("the same, the p99 beyond the p99 without", "ms", later, None, p99(alone), "<= 10 ms", later <= 10),
    ]


@contextlib.contextmanager
def crowded(folder, prefix, programs, streams, seconds):
    """Two devices, and the application on each; the one that continues asks for so many streams."""
    folder.mkdir(parents=True)
    origin, continuing = (Device(folder, name, prefix) for name in ("origin", "continuing"))
    for device in (origin, continuing):
        make_fifo(device.folder / "stamps")
        device.install(programs / "stream-origin")
    continuing.install_service(ECHO, f"{programs}/echo {ECHO}")
    command = [programs / "stream-crowd", str(streams), str(seconds), continuing.folder / "stamps"]
    with origin, continuing:
        link(origin, continuing)
        running = origin.spawn(programs / "stream-origin", origin.folder / "stamps")
        with subprocess.Popen(command, env=continuing.environment, stdout=subprocess.PIPE, text=True) as asking:
            try:
                if asking.stdout.readline() != "ready\n":
                    raise RuntimeError("the application that continues is not registered")
                yield origin, continuing, asking
            finally:
                asking.kill()
                continuing.end_owner(f"{APP}.Segue")
                running.terminate()
                running.wait()


def fetches(folder, prefix, programs, streams):
    """Milliseconds of continuations, while so many streams are at full speed."""
    with crowded(folder, prefix, programs, streams, 600) as (origin, continuing, _):
        return drive(programs / "warm", origin, continuing, ECHO, FETCHES)["answered"]


def crowd(folder, prefix, programs):
    """The rate of each of many streams, in MiB/s."""
    with crowded(folder, prefix, programs, CROWD, SHARING) as (origin, continuing, asking):
        stamps = os.open(origin.folder / "stamps", os.O_RDWR)
        for _ in range(CROWD // 4):
            wait_for_offer(continuing)
            continuing.segue("continue", "--latest")
            os.read(stamps, 8)
        os.close(stamps)
        return [float(asking.stdout.readline().split()[1]) for _ in range(CROWD)]


def transfer(folder, prefix, programs, forward):
    """Between two devices of this machine."""
    names = ("origin", "continuing")
    origin, continuing = (Device(folder, name, prefix, processor=side) for name, side in zip(names, SIDES))
    with origin, continuing:
        link(origin, continuing)
        return crossing(folder, origin, continuing, programs, forward, (LOOPBACK, LOOPBACK), "")


def crossing(folder, origin, continuing, programs, forward, hosts, where):
    """A stream between two devices and its replacement between their hosts, in turns: 256 MiB each time, and single
    bytes there and back."""
    install(origin, continuing, programs)
    ours, bare, pair, plain = (collections.defaultdict(list) for _ in range(4))
    peaks = []
    certificate = make_certificate(folder)
    has_forward = forward.exists()
    running = origin.spawn(programs / "stream-origin")
    try:
        for _ in range(ROUNDS):
            wait_for_offer(continuing)
            idle = {device.pid: device_memory(device.pid)["Pss"] for device in (origin, continuing)}
            with highest(idle) as peak:
                add(ours, continued(continuing, programs))
            peaks.append(max(peak[pid] - idle[pid] for pid in idle))
            if has_forward:
                add(bare, forwarded(programs, forward, certificate, hosts))
            add(pair, joined(programs))
            plain["rate"].append(plain_tls(certificate, hosts))
    finally:
        running.terminate()
        running.wait()
    if not has_forward:
        print("bench: no forwarders to compare with: scripts/build-daemon stream-forward")
    rate, floor = p50(ours["rate"]), p50(bare["rate"]) if has_forward else None
    opened = p50(ours["opened"]) / 1000
    return [
        Row("a bare socket pair", "MiB/s", baseline=p50(pair["rate"])),
        Row(f"plain TLS 1.3{where}, by OpenSSL", "MiB/s", baseline=p50(plain["rate"])),
        Row(
            f"256 MiB through a stream{where} (baseline: two forwarders and TLS)", "MiB/s", rate, None, floor, ">= 0.85",
            None if floor is None else rate >= 0.85 * floor),
        Row("the same", "MiB/s", rate, aim=">= 300 MiB/s", met=rate >= 300),
        Row("a new stream, from the request to its first byte", "ms", opened, p99(ours["opened"]) / 1000, None,
            "<= 2 ms", opened <= 2),
        Row("a byte there and back on a stream", "ms", p50(ours["first"]) / 1000, p99(ours["first"]) / 1000,
            p50(bare["first"]) / 1000 if has_forward else None),
        Row("a daemon's memory in a transfer, beyond idle, at most", "MiB", max(peaks), aim="<= 4 MiB",
            met=max(peaks) <= 4),
    ]


def install(origin, continuing, programs):
    origin.install(programs / "stream-origin")
    continuing.install(programs / "stream-continuing", SAMPLES, 1, BYTES)


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
    """The output of the continuing application, started by hand: one that the bus launches prints nowhere."""
    command = [programs / "stream-continuing", str(SAMPLES), "1", str(BYTES)]
    with device.placed():
        running = subprocess.Popen(command, env=device.environment, stdout=subprocess.PIPE, text=True)
    with running:
        if running.stdout.readline() != "ready\n":
            raise RuntimeError("the application that continues is not registered")
        device.segue("continue", "--latest")
        return running.communicate(timeout=120)[0]


def joined(programs):
    """Both ends of one socket pair."""
    one, other = (end.detach() for end in socket.socketpair())
    return between(programs, (one, one), (other, other))


def between(programs, one, other):
    """The measurements between two ends, an input and an output each, which it closes."""
    with placed(SIDES[0]):
        serving = subprocess.Popen([programs / "stream-bare", "serve", *map(str, one)], pass_fds=one)
    with serving:
        for end in set(one):
            os.close(end)
        command = [programs / "stream-bare", "ask", *map(str, other), str(SAMPLES), "1", str(BYTES)]
        try:
            with placed(SIDES[1]):
                return subprocess.run(
                    command, pass_fds=other, check=True, stdout=subprocess.PIPE, text=True, timeout=120).stdout
        finally:
            for end in set(other):
                os.close(end)


def forwarded(programs, forward, certificate, hosts):
    """The same between two forwarders, one on each host: socket pair, TLS, socket pair."""
    here, there = hosts
    (one, inner), (other, outer) = socket.socketpair(), socket.socketpair()
    with contextlib.ExitStack() as running, inner, outer:
        def start(role, host, side, end, port):
            command = [*host.prefix, forward, role, str(end.fileno()), *certificate, here.address, str(port)]
            with placed(side):
                process = subprocess.Popen(command, pass_fds=[end.fileno()], stdout=subprocess.PIPE, text=True)
            running.enter_context(process)
            running.callback(process.terminate)
            end.close()
            return process

        port = start("server", here, SIDES[0], inner, 0).stdout.readline().strip()
        start("client", there, SIDES[1], outer, port)
        one, other = one.detach(), other.detach()
        return between(programs, (one, one), (other, other))


def plain_tls(certificate, hosts):
    """MiB/s from one program to another, each of which has one connection and nothing else."""
    here, there = hosts
    program = pathlib.Path(__file__).resolve().parent / "streams" / "tls.py"
    command = [*here.prefix, "/usr/bin/python3", program, "serve", here.address, *certificate]
    with placed(SIDES[0]):
        serving = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with serving:
        port = serving.stdout.readline().strip()
        command = [*there.prefix, "/usr/bin/python3", program, "send", here.address, port, str(BYTES)]
        with placed(SIDES[1]):
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=120)
    return float(done.stdout)


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
