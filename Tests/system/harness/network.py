"""Hosts on switches: each a network namespace with cables that can be pulled, and perhaps a system bus and Avahi."""

import contextlib
import itertools
import os
import re
import shutil
import subprocess

import pytest

from .avahi import Machine
from .delay import Delay
from .mdns import Capture
from .waiting import wait_for

numbers = itertools.count(1)


def run(*arguments):
    return subprocess.run(
        list(map(str, arguments)), check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def ip(*arguments):
    return run("ip", *arguments)


class Network:
    """A switch, which is a bridge in a namespace of its own. For root only."""

    def __init__(self, subnet="10.77.0"):
        if shutil.which("ip") is None or os.geteuid() != 0:
            pytest.skip("network namespaces are made by root, with iproute2")
        self.name = f"sg{os.getpid()}n{next(numbers)}"
        self.subnet = subnet
        self.namespaces = []
        self.hosts = []
        try:
            self.add_namespace(self.name)
            self.inside("link", "add", "switch", "type", "bridge")
            self.bring_up("switch")
        except subprocess.CalledProcessError as error:
            self.close()
            if "not permitted" in error.stderr or "not supported" in error.stderr:
                pytest.skip(f"this system makes no network: {error.stderr.strip()}")
            raise

    def add_namespace(self, name):
        ip("netns", "add", name)
        self.namespaces.append(name)

    def inside(self, *arguments):
        ip("-n", self.name, *arguments)

    def bring_up(self, interface):
        """Nothing goes over it but what the hosts send. An IPv6 address, which it has from the moment it is up, would
        have it look for a router now and then."""
        self.inside("link", "set", interface, "addrgenmode", "none")
        self.inside("link", "set", interface, "up")

    def host(self):
        self.hosts.append(Host(self, len(self.hosts) + 1))
        return self.hosts[-1]

    def capture(self, host, interface="eth0"):
        """Captures the frames that pass the host's cable here, from now on."""
        return Capture(self.name, self.port(host, interface))

    def port(self, host, interface):
        return f"h{host.number}{interface}"

    def lose_multicast(self):
        """Lets the switch lose multicast frames, as many an access point does."""
        filter_(["ip", "netns", "exec", self.name], "bridge", "forward", "udp dport 5353 drop")

    def close(self):
        with contextlib.ExitStack() as ends:
            for name in self.namespaces:
                ends.callback(ip, "netns", "delete", name)
            for host in self.hosts:
                ends.callback(host.machine.close)
                if host.delay:
                    ends.callback(host.delay.close)


def filter_(prefix, family, hook, rule):
    """Adds a firewall rule."""
    if shutil.which("nft") is None:
        pytest.skip("a firewall is made with nftables")
    try:
        run(*prefix, "nft", "add", "table", family, "segue")
        run(*prefix, "nft", "add", "chain", family, "segue", hook, f"{{ type filter hook {hook} priority 0 ; }}")
        run(*prefix, "nft", "add", "rule", family, "segue", hook, *rule.split())
    except subprocess.CalledProcessError as error:
        pytest.skip(f"this system makes no firewall: {error.stderr.strip()}")


class Host:
    def __init__(self, network, number):
        self.network = network
        self.number = number
        self.name = f"{network.name}h{number}"
        network.add_namespace(self.name)
        self.machine = Machine(self)
        self.delay = None
        ip("-n", self.name, "link", "set", "lo", "up")
        self.address = self.connect(network, "eth0")

    def connect(self, network, interface):
        """Plugs a cable to the network in, and returns the host's address there."""
        port = network.port(self, interface)
        network.inside("link", "add", port, "type", "veth", "peer", "name", interface, "netns", self.name)
        network.bring_up(port)
        ip("-n", self.name, "link", "set", interface, "up")
        address = f"{network.subnet}.{self.number}"
        ip("-n", self.name, "address", "add", f"{address}/24", "dev", interface)
        network.inside("link", "set", port, "master", "switch")
        return address

    def add_inner(self, interface, network):
        """Adds an interface that leads to a container of the host, as Docker makes it."""
        kind = ["veth", "peer", "name", f"{interface}c"] if interface.startswith("veth") else ["bridge"]
        ip("-n", self.name, "link", "add", interface, "type", *kind)
        ip("-n", self.name, "link", "set", interface, "up")
        ip("-n", self.name, "address", "add", network, "dev", interface)

    @property
    def prefix(self):
        """The words before a command that run it on this host."""
        return ["nsenter", f"--net=/run/netns/{self.name}", "--"]

    def plug(self):
        self.network.inside("link", "set", self.network.port(self, "eth0"), "master", "switch")

    def unplug(self):
        """Pulls the cable at the switch's end: the interface stays up, and packets are lost without a notification."""
        self.network.inside("link", "set", self.network.port(self, "eth0"), "nomaster")

    def move_away(self, seconds):
        """Delays the packets to and from this host by so many seconds."""
        port = self.network.port(self, "eth0")
        self.network.inside("link", "add", f"{port}n", "type", "veth", "peer", "name", f"{port}f")
        for end in ["n", "f"]:
            self.network.bring_up(port + end)
        self.unplug()
        self.network.inside("link", "set", f"{port}f", "master", "switch")
        self.delay = Delay(self.network.name, port, f"{port}n", seconds)

    def lose(self, percent):
        """Loses so many of a hundred packets that come over its cable, at random."""
        filter_(self.prefix, "inet", "input", f"iifname eth0 numgen random mod 100 < {percent} counter drop")

    def lost(self):
        """The number of packets that `lose` has lost."""
        listing = run(*self.prefix, "nft", "list", "chain", "inet", "segue", "input")
        return int(re.search(r"counter packets (\d+)", listing)[1])

    def lose_carrier(self):
        """Pulls the cable at the host's end: the interface reports it."""
        self.network.inside("link", "set", self.network.port(self, "eth0"), "down")

    def find_carrier(self):
        self.network.inside("link", "set", self.network.port(self, "eth0"), "up")

    def move(self, address):
        """Takes another address, as a device in a new network does; connections from the former address hang."""
        ip("-n", self.name, "address", "flush", "dev", "eth0")
        self.address = address
        ip("-n", self.name, "address", "add", f"{address}/24", "dev", "eth0")

    def link_local(self):
        """The host's link-local address, with the name of the interface."""
        address = wait_for(self.find_link_local, "a link-local address")
        return f"{address}%eth0"

    def find_link_local(self):
        # The address is "tentative" until the kernel has asked whether another host has it.
        words = ip("-n", self.name, "-6", "-o", "address", "show", "dev", "eth0", "scope", "link", "-tentative").split()
        return words[3].partition("/")[0] if len(words) > 3 else None

    def leave(self):
        """Drops the host's IPv4 addresses."""
        ip("-n", self.name, "-4", "address", "flush", "dev", "eth0")

    def join6(self, address):
        ip("-n", self.name, "address", "add", f"{address}/64", "dev", "eth0", "nodad")

    def drop(self, port):
        """Drops packets for a TCP port without an answer, as a firewall does."""
        # Routing drops them; it also decides about packets for this host, once the table of its own addresses is not
        # first.
        for family in ["-4", "-6"]:
            rule = ["-n", self.name, family, "rule"]
            ip(*rule, "add", "pref", "2", "lookup", "local")
            ip(*rule, "delete", "pref", "0")
            ip(*rule, "add", "pref", "1", "iif", "eth0", "ipproto", "tcp", "dport", str(port), "blackhole")

    def accept(self, port):
        for family in ["-4", "-6"]:
            ip("-n", self.name, family, "rule", "delete", "pref", "1", "dport", str(port))

    def join(self, address):
        """Adds an address, as when a tunnel comes up."""
        ip("-n", self.name, "address", "add", f"{address}/24", "dev", "eth0")

    def tunnel(self, other):
        """Makes a tunnel to the other host, without multicast."""
        ip("-n", self.name, "link", "add", "wg0", "type", "veth", "peer", "name", "wg0", "netns", other.name)
        for host in [self, other]:
            ip("-n", host.name, "link", "set", "wg0", "multicast", "off")
            ip("-n", host.name, "link", "set", "wg0", "up")
            ip("-n", host.name, "address", "add", f"10.99.0.{host.number}/24", "dev", "wg0")


def traffic(device, direction):
    """How many bytes the interface of the device's host has sent ("tx"), or got ("rx")."""
    with open(f"/proc/{device.bus_process.pid}/net/dev") as file:
        for line in file:
            name, _, counts = line.partition(":")
            if name.strip() == "eth0":
                return int(counts.split()[8 if direction == "tx" else 0])
    raise AssertionError(f"{device.name} is on no network")
