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
        """What passes the host's cable here, from now on."""
        return Capture(self.name, self.port(host, interface))

    def port(self, host, interface):
        return f"h{host.number}{interface}"

    def lose_multicast(self):
        """The switch loses what is sent to all, as many an access point does."""
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
    """A firewall's rule."""
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
        """Has a cable to the network, plugged in; the address there."""
        port = network.port(self, interface)
        network.inside("link", "add", port, "type", "veth", "peer", "name", interface, "netns", self.name)
        network.bring_up(port)
        ip("-n", self.name, "link", "set", interface, "up")
        address = f"{network.subnet}.{self.number}"
        ip("-n", self.name, "address", "add", f"{address}/24", "dev", interface)
        network.inside("link", "set", port, "master", "switch")
        return address

    def add_inner(self, interface, network):
        """Has an interface that leads to a container of its own, as Docker makes it."""
        kind = ["veth", "peer", "name", f"{interface}c"] if interface.startswith("veth") else ["bridge"]
        ip("-n", self.name, "link", "add", interface, "type", *kind)
        ip("-n", self.name, "link", "set", interface, "up")
        ip("-n", self.name, "address", "add", network, "dev", interface)

    @property
    def prefix(self):
        """What runs a command on this host."""
        return ["nsenter", f"--net=/run/netns/{self.name}", "--"]

    def plug(self):
        self.network.inside("link", "set", self.network.port(self, "eth0"), "master", "switch")

    def unplug(self):
        """Pulls the cable at the switch's end: the interface stays up, and what is sent is lost without a word."""
        self.network.inside("link", "set", self.network.port(self, "eth0"), "nomaster")

    def move_away(self, seconds):
        """What it sends, and what is sent to it, comes so much later."""
        port = self.network.port(self, "eth0")
        self.network.inside("link", "add", f"{port}n", "type", "veth", "peer", "name", f"{port}f")
        for end in ["n", "f"]:
            self.network.bring_up(port + end)
        self.unplug()
        self.network.inside("link", "set", f"{port}f", "master", "switch")
        self.delay = Delay(self.network.name, port, f"{port}n", seconds)

    def lose(self, percent):
        """Loses so many of a hundred packets that come over its cable, by chance."""
        filter_(self.prefix, "inet", "input", f"iifname eth0 numgen random mod 100 < {percent} counter drop")

    def lost(self):
        """How many packets it has lost so."""
        listing = run(*self.prefix, "nft", "list", "chain", "inet", "segue", "input")
        return int(re.search(r"counter packets (\d+)", listing)[1])

    def lose_carrier(self):
        """Pulls the cable at its own end: the interface says so."""
        self.network.inside("link", "set", self.network.port(self, "eth0"), "down")

    def find_carrier(self):
        self.network.inside("link", "set", self.network.port(self, "eth0"), "up")

    def move(self, address):
        """Takes another address, as a device does that comes into another network; connections from the former hang."""
        ip("-n", self.name, "address", "flush", "dev", "eth0")
        self.address = address
        ip("-n", self.name, "address", "add", f"{address}/24", "dev", "eth0")

    def link_local(self):
        """Its address for its cable alone, with the name of the interface."""
        address = wait_for(self.find_link_local, "a link-local address")
        return f"{address}%eth0"

    def find_link_local(self):
        # Until the kernel has asked whether anybody else has it, it is "tentative".
        words = ip("-n", self.name, "-6", "-o", "address", "show", "dev", "eth0", "scope", "link", "-tentative").split()
        return words[3].partition("/")[0] if len(words) > 3 else None

    def leave(self):
        """Has no address of IPv4 any more."""
        ip("-n", self.name, "-4", "address", "flush", "dev", "eth0")

    def join6(self, address):
        ip("-n", self.name, "address", "add", f"{address}/64", "dev", "eth0", "nodad")

    def drop(self, port):
        """Loses without a word what comes for a TCP port, as a firewall does."""
        # By routing, which is asked for what is for this host too, once its own addresses do not come first.
        for family in ["-4", "-6"]:
            rule = ["-n", self.name, family, "rule"]
            ip(*rule, "add", "pref", "2", "lookup", "local")
            ip(*rule, "delete", "pref", "0")
            ip(*rule, "add", "pref", "1", "iif", "eth0", "ipproto", "tcp", "dport", str(port), "blackhole")

    def accept(self, port):
        for family in ["-4", "-6"]:
            ip("-n", self.name, family, "rule", "delete", "pref", "1", "dport", str(port))

    def join(self, address):
        """Has a further address, as where a tunnel comes up."""
        ip("-n", self.name, "address", "add", f"{address}/24", "dev", "eth0")

    def tunnel(self, other):
        """A tunnel to the other host, in which nothing is sent to all."""
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
