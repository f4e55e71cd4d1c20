"""What is asked of every shared library of this tree: how it is linked, what it needs, what it exports."""

import os
import re
import subprocess

GLIBC = (2, 34)


def output(*command, **options):
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment, **options).stdout


def entries(library, tag):
    """The dynamic section's entries of that kind."""
    return re.findall(rf"\({tag}\).*?\[(.*?)\]", output("readelf", "-d", "-W", library))


def symbols(library):
    """The dynamic symbols: name with version, and whether it is defined here."""
    for line in output("readelf", "--dyn-syms", "-W", library).splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[0].rstrip(":").isdigit():
            yield fields[7], fields[6] != "UND"


def problems(library, needed):
    """What is wrong with how it is linked; `needed` is the pattern of what it may need."""
    dynamic = output("readelf", "-d", "-W", library)
    segments = output("readelf", "-l", "-W", library)
    for name in entries(library, "NEEDED"):
        if not re.fullmatch(needed, name):
            yield f"it needs {name}"
    for tag in ("RPATH", "RUNPATH"):
        if entries(library, tag):
            yield f"it has a {tag}: {entries(library, tag)}"
    flags = re.findall(r"\(FLAGS_1\)\s+Flags: (.*)", dynamic)
    for flag in ("NODELETE", "NOW"):
        if not any(flag in line.split() for line in flags):
            yield f"it is not linked with -z {flag.lower()}"
    if "TEXTREL" in dynamic:
        yield "its code has relocations"
    if "GNU_RELRO" not in segments:
        yield "it is not linked with -z relro"
    if re.search(r"GNU_STACK.*RWE", segments):
        yield "it wants an executable stack"
    if "Build ID" not in output("readelf", "-n", library):
        yield "it has no build id"
    for name, is_defined in symbols(library):
        glibc = re.search(r"@GLIBC_(\d+)\.(\d+)", name)
        if name.startswith(("$s", "swift_", "_swift")):
            yield f"Swift shows: {name}"
        elif not is_defined and glibc and (int(glibc[1]), int(glibc[2])) > GLIBC:
            yield f"{name} is newer than GLIBC_{GLIBC[0]}.{GLIBC[1]}"
