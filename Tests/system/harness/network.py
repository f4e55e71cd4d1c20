"""Hosts on one switch: each a network namespace with a cable that can be pulled."""

import itertools
import os
import subprocess

import pytest

numbers = itertools.count(1)


def ip(*arguments):
    subprocess.run(["ip", *map(str, arguments)], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Network:
    """A switch, which is a bridge in a namespace of its own. For root only, and where the kernel lets it."""

    def __init__(self):
        #: Not more than 15 bytes with what is appended, since they name interfaces too.
        self.name = f"sg{os.getpid() % 100000}n{next(numbers)}"
        self.hosts = []
        try:
            ip("netns", "add", self.name)
            self.inside("link", "add", "switch", "type", "bridge")
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"network namespaces cannot be made here: {error}")
        self.inside("link", "set", "switch", "up")

    def inside(self, *arguments):
        ip("-n", self.name, *arguments)

    def host(self):
        self.hosts.append(Host(self, len(self.hosts) + 1))
        return self.hosts[-1]

    def close(self):
        for host in self.hosts:
            ip("netns", "delete", host.name)
        ip("netns", "delete", self.name)


class Host:
    def __init__(self, network, number):
        self.network = network
        self.name = f"{network.name}h{number}"
        self.port = f"port{number}"
        self.address = f"10.77.0.{number}"
        ip("netns", "add", self.name)
        network.inside("link", "add", self.port, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        network.inside("link", "set", self.port, "up")
        for interface in ["lo", "eth0"]:
            ip("-n", self.name, "link", "set", interface, "up")
        ip("-n", self.name, "address", "add", f"{self.address}/24", "dev", "eth0")
        self.plug()

    @property
    def prefix(self):
        """What runs a command on this host."""
        return ["nsenter", f"--net=/run/netns/{self.name}", "--"]

    def plug(self):
        self.network.inside("link", "set", self.port, "master", "switch")

    def unplug(self):
        """Pulls the cable at the switch's end: the interface stays up, and what is sent is lost without a word."""
        self.network.inside("link", "set", self.port, "nomaster")

    def move(self, address):
        """Takes another address, as a device does that comes into another network; connections from the former hang."""
        ip("-n", self.name, "address", "flush", "dev", "eth0")
        self.address = address
        ip("-n", self.name, "address", "add", f"{address}/24", "dev", "eth0")
