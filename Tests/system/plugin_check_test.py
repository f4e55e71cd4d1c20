"""`segue plugin check`: what it says of plugins that work, and of those that do not. Needs no daemon."""

import signal

import pytest
from harness import plugins
from harness.plugins import ID, METADATA, check, error, errors, run

plugin = plugins.plugin


# A good one

def test_aGoodOne(plugin):
    path = plugin()
    assert check(path) == [
        {"severity": "note", "message": "position saves and restores: 3 properties.", "advice": ""},
        {"severity": "note", "message": f"{ID} works.", "advice": ""}]
    done = run("check", path)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout == f"position saves and restores: 3 properties.\n{ID} works.\n"


def test_byItsMetadataAndByARelativePath(plugin, monkeypatch):
    path = plugin()
    assert errors(path.with_suffix(".plugin")) == []
    monkeypatch.chdir(path.parent)
    assert errors(path.name) == []
    assert errors(f"../plugins/./{path.name}") == []


def test_whatItPrintsIsNoFinding(plugin):
    path = plugin(INIT='puts("printed by init"); fflush(stdout)')
    assert errors(path) == []
    assert "printed by init" in run("check", path, "--json").stderr


def test_whatItLogsIsANote(plugin):
    path = plugin(SET_LINE='place->host->log(place->host, "a line is set")')
    messages = [item["message"] for item in check(path)]
    assert f"{ID}, position: a line is set." in messages


def test_aRestoreFunctionIsTried(plugin):
    path = plugin(RESTORE="return -EPROTO")
    assert "restore_user_activity_state has failed: Protocol error" in error(path)


# Plugins that harm their process

@pytest.mark.parametrize("macro, stage", [
    ("LOADED", "the loading of the library"), ("INIT", "init"), ("GET_FACTORY", "get_factory"),
    ("CREATE", "create of position"), ("GET_FILE", "the getter of position/file"),
    ("GET_LINE", "the getter of position/line"), ("SET_LINE", "the setter of position/line"),
    ("UPDATE", "the saving of position"), ("RESTORE", "the restoring of position"), ("DESTROY", "destroy of position"),
    ("DEINIT", "deinit"), ("ENDED", "the end of the process"),
])
def test_whereItCrashed(plugin, macro, stage):
    path = plugin(**{macro: "CRASH"})
    assert error(path) == f"It crashed (SIGSEGV) in {stage}."


def test_aCrashLeavesNoCore(plugin, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = plugin(INIT="abort()")
    assert error(path) == "It crashed (SIGABRT) in init."
    assert list(tmp_path.glob("core*")) == []


@pytest.mark.parametrize("macro, stage", [
    ("LOADED", "the loading of the library"), ("INIT", "init"), ("CREATE", "create of position"),
    ("GET_LINE", "the getter of position/line"), ("DEINIT", "deinit"), ("ENDED", "the end of the process"),
])
def test_whereItHangs(plugin, macro, stage):
    path = plugin(**{macro: "HANG"})
    assert error(path, "--time-limit", "2000") == f"It did not return within 2000 ms from {stage}."


@pytest.mark.parametrize("way", ["", "setsid(); ", "setsid(); if (fork() > 0) _exit(0); "], ids=["", "session", "daemon"])
def test_whatItHasStartedGoesToo(plugin, tmp_path, way):
    started = tmp_path / "started"
    path = plugin(CREATE=rf'if (fork() == 0) {{ {way}FILE *file = fopen("{started}", "w"); fprintf(file, "%d", getpid()); '
                         r"fclose(file); HANG; } HANG")
    assert "create of position" in error(path, "--time-limit", "2000")
    child = int(started.read_text())
    # It is gone, or nobody has asked yet how it ended.
    try:
        with open(f"/proc/{child}/stat") as file:
            assert file.read().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        pass


def test_itEndsTheProcess(plugin):
    assert error(plugin(GET_LINE="exit(3)")) == "It ended the process, with the status 3, in the getter of position/line."
    assert error(plugin(INIT="_exit(0)")) == "It ended the process, with the status 0, in init."


def test_itIsKilled(plugin):
    assert error(plugin(INIT="raise(SIGKILL)")) == f"It crashed ({signal.SIGKILL.name}) in init."


# Files that are no plugins

def test_anotherABI(plugin):
    assert "the plugin is of ABI 2, and this library hosts 1" in error(plugin(ABI="2"))
    assert "the plugin is of ABI 7, and this library hosts 1" in error(
        plugin(metadata=METADATA.replace("ABI=1", "ABI=7"), LOADED="CRASH"))


def test_noEntry(plugin):
    assert "exports no segue_entry" in error(plugin(ENTRY="another"))


def test_anotherId(plugin):
    assert "does not say the id org.example.place" in error(plugin(ID='"org.example.other"'))


def test_noLibrary(plugin):
    path = plugin()
    path.write_bytes(b"no library")
    assert "cannot be loaded: " in error(path)
    path.write_bytes(b"")
    assert "is empty" in error(path)
    path.unlink()
    assert error(path) == f"There is no {path}."


def test_whatItNeedsIsNotThere(plugin):
    path = plugin(INIT="extern int nobody_has_this(void); return nobody_has_this()")
    message = error(path)
    assert "nobody_has_this" in message and "/proc/" not in message


def test_initFails(plugin):
    assert "init has failed: Operation not permitted" in error(plugin(INIT="return -EPERM"))


def test_noFactory(plugin):
    assert "has no factory" in error(plugin(GET_FACTORY="return NULL"))


def test_othersCouldHaveChangedIt(plugin):
    path = plugin()
    path.chmod(0o777)
    assert "can be written by everybody" in error(path)


# Library against metadata

def test_fiveDifferences(plugin):
    metadata = METADATA.replace("Name=A place in a text", "Name=Somewhere").replace("Type=u\n", "Type=q\n") \
        .replace("Default=1\n", "Default=2\n").replace("Scope=this-device", "Scope=portable") \
        .replace("file;line;marks;", "file;line;") \
        .replace("\n[Property position/marks]\nType=au\nScope=portable\n", "")
    assert errors(plugin(metadata)) == [
        'position is called "A place in a text" in the library, and "Somewhere" in the metadata.',
        "position/file is portable in the metadata, and of this device in the library.",
        "position/line is of the type u in the library, and q in the metadata.",
        'position/line has the default "1" in the library, and the default "2" in the metadata.',
        "position/marks is a property of the library, and not of the metadata.",
    ]


def test_anUnknownLetter(plugin):
    message = error(plugin(LINE_TYPE='"z"'))
    assert "position" in message and "line" in message and "The signature z has an unknown letter at 0" in message


@pytest.mark.parametrize("macros, words", [
    ({"LINE_TYPE": "NULL"}, "has no key or signature"), ({"LINE_TYPE": '"uu"'}, "is not that of one type"),
    ({"LINE_DEFAULT": '"-1"'}, "is none of its type"), ({"LINE_DEFAULT": r'"\xff"'}, "not UTF-8"),
    ({"MORE_PROPERTIES": '{"x", "u", 0, NULL, NULL, NULL, NULL}'}, "neither portable nor of this device only"),
    ({"MORE_PROPERTIES": '{"x", "u", 9, NULL, NULL, NULL, NULL}'}, "unknown flags"),
    ({"MORE_PROPERTIES": '{"line", "u", 1, NULL, NULL, NULL, NULL}'}, "two properties line"),
    ({"MORE_PROPERTIES": '{"m", "u", 5, "1", NULL, NULL, NULL}'}, "required, and has a default"),
])
def test_aMalformedTable(plugin, macros, words):
    assert words in error(plugin(**macros))


def test_allThatIsWrongWithTheMetadata(plugin):
    metadata = METADATA.replace("Version=1.0\n", "").replace("Type=u\n", "Type=k\n").replace("Scope", "scope", 1)
    path = plugin(metadata, LOADED="CRASH")
    name = path.with_suffix(".plugin")
    assert errors(path) == [
        f"{name}: [Plugin] Version is missing.",
        f"{name}: [Property position/file] Scope is missing.",
        f"{name}: Line 18: [Property position/line] Type: The signature k has an unknown letter at 0.",
        f"{name}: [Property position/file] scope is not known.",
    ]


def test_noMetadata(plugin):
    path = plugin(metadata=None)
    assert error(path) == f"There is no {path.with_suffix('.plugin')}."
    path = plugin(name="org.example.other")
    assert error(path) == f"{path.with_suffix('.plugin')} is of {ID}."


# Wrong results of a plugin's functions

@pytest.mark.parametrize("macros, words", [
    ({"GET_FILE": "return NULL"}, "its getter returned NULL"),
    ({"GET_FILE": r'return "\xff"'}, "its getter returned text that is not UTF-8"),
    ({"GET_MARKS": "*count = SIZE_MAX"}, "elements, more than 4096"),
    ({"GET_MARKS": "*count = 4097"}, "elements, more than 4096"),
    ({"GET_MARKS": "return NULL"}, "its getter returned NULL"),
    ({"SET_LINE": "return -ERANGE"}, "its setter has failed: Numerical result out of range"),
    ({"CREATE": "return -ENOMEM"}, "it could not be made: Cannot allocate memory"),
    ({"UPDATE": "return -EIO"}, "update_user_activity_state has failed: Input/output error"),
])
def test_whatItsFunctionsGive(plugin, macros, words):
    found = errors(plugin(**macros))
    assert any(words in message for message in found), found
    assert all("position" in message for message in found), found


def test_whatIsComeUponAgainIsSaidOnce(plugin):
    assert "its getter returned NULL" in error(plugin(GET_FILE="return NULL"))




# Its setters, with samples

@pytest.mark.parametrize("macros, words", [
    # The setter does nothing, or something else.
    ({"SET_LINE": "return 0"}, "position/line was set to 1, and its getter gives 7, as before"),
    ({"SET_FILE": "return 0"}, 'position/file was set to "sample", and its getter gives "a.txt", as before'),
    ({"SET_MARKS": "return 0"}, "position/marks was set to [1, 2, 100], and its getter gives [0, 0], as before"),
    ({"SET_LINE": "line += 1"}, "position/line was set to 1, and its getter gives 2"),
    # A result that is neither 0 nor an error.
    ({"SET_LINE": "place->line = line; return 5"}, "line: its setter has returned 5, and is to return 0 or a negative"),
    ({"INIT": "return 5"}, "its init has returned 5"),
    ({"UPDATE": "return 5"}, "its update_user_activity_state has returned 5"),
    ({"RESTORE": "return 5"}, "its restore_user_activity_state has returned 5"),
    # The functions of another type.
    ({"LINE_IN_C": "uint8_t"}, "position/line was set to 261, and its getter gives 5: a function of it has a narrower"),
    ({"LINE_IN_C": "uint16_t"}, "position/line was set to 65541, and its getter gives 5: a function of it has"),
    ({"LINE_IN_C": "double"}, "position/line was set to "),
    # It shows only when something else has been set meanwhile.
    ({"RESTORE": "((struct place *)object)->line++"}, "position/line is another one after it was restored: 1 was saved"),
    ({"LINE_DEFAULT": '"0"', "SET_LINE": "if (line == 0) return -ERANGE"}, "its default is refused"),
])
def test_whatItsSettersDo(plugin, macros, words):
    metadata = METADATA.replace("Default=1", "Default=0") if "LINE_DEFAULT" in macros else METADATA
    found = errors(plugin(metadata, **macros))
    assert any(words in message for message in found), found
    assert not any(item["message"] == f"{ID} works." for item in check(plugin(metadata, **macros)))


@pytest.mark.parametrize("letter, other", [
    ("b", "double"), ("C", "double"), ("n", "int8_t"), ("i", "int16_t"), ("x", "int32_t"), ("t", "uint16_t"),
    ("F", "int32_t"), ("d", "float"), ("d", "int64_t"), ("D", "float"),
])
def test_aTypeThatIsNotItsFunctions(plugin, letter, other):
    metadata = METADATA.replace("Type=u\n", f"Type={letter}\n").replace("Default=1\n", "")
    found = errors(plugin(metadata, LINE_TYPE=f'"{letter}"', LINE_DEFAULT="NULL", LINE_IN_C=other))
    # Such a setter gets what a register happens to hold, which may be the value that was set.
    seen = ("position/line was set to ", "position/line is another one after it was restored")
    assert any(message.startswith(seen) for message in found), found


@pytest.mark.parametrize("letter, type", [
    ("b", "bool"), ("C", "int8_t"), ("y", "uint8_t"), ("n", "int16_t"), ("q", "uint16_t"), ("i", "int32_t"),
    ("u", "uint32_t"), ("x", "int64_t"), ("t", "uint64_t"), ("F", "float"), ("d", "double"), ("D", "double"),
])
def test_eachTypeWorksWithItsOwn(plugin, letter, type):
    metadata = METADATA.replace("Type=u\n", f"Type={letter}\n").replace("Default=1\n", "")
    path = plugin(metadata, LINE_TYPE=f'"{letter}"', LINE_DEFAULT="NULL", LINE_IN_C=type)
    assert [item["message"] for item in check(path)] == ["position saves and restores: 3 properties.", f"{ID} works."]


@pytest.mark.parametrize("body, remark", [
    ("place->line = line > 255 ? 255 : line; return 0", "makes values fit: it was set to 261, and gives 255."),
    ("if (line != 7) return -ERANGE", "has taken none of the samples: it was tried with what it held only."),
])
def test_whatASetterMayDo(plugin, body, remark):
    path = plugin(METADATA.replace("Default=1", "Default=7"), SET_LINE=body, LINE_DEFAULT='"7"')
    assert [(item["severity"], item["message"]) for item in check(path)] == [
        ("note", f"position/line {remark}"), ("note", "position saves and restores: 3 properties."),
        ("note", f"{ID} works.")]


# Properties that only one function restores

TOGETHER = METADATA.replace("marks;", "marks;any;").replace("RestoreKeys=", "RestoreKeys=any") + (
    "\n[Property position/any]\nType=mu\nRequired=true\nScope=portable\n")


def together(plugin, body, metadata=TOGETHER, **macros):
    functions = ('static const char *const taken[] = {"any"}; static uint32_t any; static const uint32_t *given; '
                 "static const uint32_t *get_any(void *object) { (void)object; return given; } "
                 f"static int take(void *object, const uint32_t *value) {{ (void)object; {body}; return 0; }}")
    macros.setdefault("MORE_MEMBERS", ".restore = FUNCTION(take), .restore_signature = \"mu\", "
                                      ".restore_keys = taken, .restore_key_count = 1")
    return plugin(
        metadata, MORE_PROPERTIES='{"any", "mu", 5, NULL, FUNCTION(get_any), NULL, NULL}', MORE_FUNCTIONS=functions,
        **macros)


def test_whatOneFunctionRestoresIsTriedWithSamples(plugin):
    assert [item["message"] for item in check(together(plugin, "any = *value, given = &any"))] == [
        "position saves and restores: 4 properties.", f"{ID} works."]
    assert error(together(plugin, "any = 7, given = &any")) == "position/any was set to 1, and its getter gives 7, as before."
    assert "It crashed (SIGSEGV) in the restore function of position." == error(together(plugin, "CRASH"))


def test_whatIsRequiredAndNobodyCanSet(plugin):
    path = together(
        plugin, "(void)taken; (void)value", TOGETHER.replace("RestoreKeys=any", "RestoreKeys="),
        MORE_MEMBERS=".get_extension = NULL", CREATE="(void)take")
    assert error(path) == ("position/any is required, and nothing sets it: it has no setter, and the restore function "
                           "does not take it.")


def test_nothingToRestoreYet(plugin):
    path = together(plugin, "return -ERANGE", RESTORE="CRASH")
    assert [item["message"] for item in check(path)] == [
        "the restore function of position has taken none of the samples.",
        "position/any has taken none of the samples: it was tried with what it held only.",
        "position holds no any, which is required: its restoring was not tried.", f"{ID} works."]
