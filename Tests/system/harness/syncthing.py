"""A real Syncthing for a device, as its user has it. `make demo` takes it from here too."""

import copy
import pathlib
import re
import subprocess
import xml.etree.ElementTree as Tree

OPTIONS = {
    # The loopback only, and nobody else is asked or told of anything.
    "listenAddress": "tcp://127.0.0.1:0", "globalAnnounceEnabled": "false", "localAnnounceEnabled": "false",
    "relaysEnabled": "false", "natEnabled": "false", "stunServer": "", "announceLANAddresses": "false",
    "urAccepted": "-1", "crashReportingEnabled": "false", "autoUpgradeIntervalH": "0", "startBrowser": "false",
    "reconnectionIntervalS": "5",
}


class Syncthing:
    """Its configuration stands where Syncthing looks for it by itself."""

    #: The line of its log that tells the port.
    LISTENS = re.compile(r"TCP listener.*127\.0\.0\.1:(\d+)")

    def __init__(self, name, environment, log):
        self.name, self.environment = name, environment
        home = pathlib.Path(environment["XDG_CONFIG_HOME"], "syncthing")
        subprocess.run(
            ["syncthing", "generate", "--no-default-folder", f"--home={home}"], env=environment, check=True,
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.path = home / "config.xml"
        self.id = Tree.parse(self.path).getroot().find("device").get("id")

    def configure(self, other, address, path):
        """Shares a folder with the other one, which is at an address."""
        tree = Tree.parse(self.path)
        root = tree.getroot()
        options = root.find("options")
        for name, text in OPTIONS.items():
            option = options.find(name)
            option = Tree.SubElement(options, name) if option is None else option
            option.text = text
        root.find("gui").set("enabled", "false")
        device = Tree.SubElement(root, "device", id=other.id, name=other.name)
        Tree.SubElement(device, "address").text = address
        folder = copy.deepcopy(root.find("defaults/folder"))
        folder.attrib.update(id="notes-of-both", label="Notes", path=path, fsWatcherDelayS="1")
        root.insert(0, folder)
        for old in folder.findall("device"):
            folder.remove(old)
        for id_ in [self.id, other.id]:
            Tree.SubElement(folder, "device", id=id_)
        tree.write(self.path)

    def start(self, output):
        """The process, which the caller ends."""
        return subprocess.Popen(
            ["syncthing", "serve", "--no-browser", "--no-restart"], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT)
