"""The installed tree that is tested."""

import os
import pathlib
import subprocess
import xml.etree.ElementTree as XML

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parents[2]
PREFIX = pathlib.Path(os.environ.get("SEGUE_PREFIX", SOURCES / ".build-install"))
SEGUE = PREFIX / "bin" / "segue"
SEGUED = pathlib.Path(os.environ.get("SEGUE_DAEMON", PREFIX / "libexec" / "segued"))
SEGUE_BROWSER = pathlib.Path(os.environ.get("SEGUE_BROWSER", PREFIX / "libexec" / "segue-browser"))
SEGUE_BRIDGE = PREFIX / "libexec" / "segue-bridge"
SEGUE_FILES = pathlib.Path(os.environ.get("SEGUE_FILES", PREFIX / "libexec" / "segue-files"))
SEGUE_SHELL = pathlib.Path(os.environ.get("SEGUE_SHELL", PREFIX / "bin" / "segue-shell"))
LIBRARY = PREFIX / "lib" / "libsegue.so.0"
INTERFACES = SOURCES / "data" / "dbus-1" / "interfaces"


def build_probe(folder):
    """Makes segue-probe against the installed library, as any C program is made; its path."""
    environment = dict(os.environ, PKG_CONFIG_PATH=str(PREFIX / "lib" / "pkgconfig"))
    subprocess.run(
        ["make", "-s", "-C", SOURCES / "Tests" / "abi", f"{folder}/segue-probe", f"BUILD={folder}",
         f"LDFLAGS=-Wl,-rpath,{PREFIX / 'lib'}"],
        check=True, env=environment)
    return pathlib.Path(folder) / "segue-probe"


def methods(name):
    """The members of an interface as it is written down: (member, signature)."""
    for method in XML.parse(INTERFACES / f"org.segue.{name}.xml").iter("method"):
        yield method.get("name"), "".join(
            argument.get("type") for argument in method.iter("arg") if argument.get("direction") == "in")
