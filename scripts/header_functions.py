"""The functions that the public headers declare."""

import pathlib
import re
import subprocess
import sys

HEADERS = pathlib.Path(__file__).resolve().parent.parent / "include"


def functions_in(text):
    """The functions that preprocessed C declares: the first name before a parenthesis of every declaration outside of
    braces, and how many parameters it has."""
    while "{" in text:
        shorter = re.sub(r"\{[^{}]*\}", "", text)
        if shorter == text:
            sys.exit("the declarations have braces that do not match")
        text = shorter
    functions = {}
    for declaration in text.split(";"):
        found = re.search(r"\b(segue_\w+)\s*\((.*)\)", declaration, re.DOTALL)
        if found and not re.match(r"\s*(typedef|static)\b", declaration):
            name, parameters = found.groups()
            functions[name] = 0 if parameters.strip() == "void" else parameters.count(",") + 1
    return functions


def preprocessed(includes, *flags):
    command = ["gcc", "-E", *flags, f"-I{HEADERS}", "-x", "c", "-"]
    return subprocess.run(command, input=includes, check=True, stdout=subprocess.PIPE, text=True).stdout


def declared_functions():
    """The functions of include/segue."""
    includes = "".join(f"#include <segue/{header.name}>\n" for header in sorted(HEADERS.glob("segue/*.h")))
    return functions_in(preprocessed(includes, "-P"))


def functions_of(header):
    """The functions of one header, without those of the headers that it includes."""
    own, kept = False, []
    for line in preprocessed(f"#include <segue/{header}.h>\n").splitlines():
        if line.startswith("#"):
            own = line.split('"')[1] == str(HEADERS / f"segue/{header}.h")
        elif own:
            kept.append(line)
    return functions_in("\n".join(kept))
