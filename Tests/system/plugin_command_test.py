"""`segue plugin`: what it says of plugins that work, and of those that do not. Needs no daemon."""

import json
import os
import signal
import subprocess

import pytest
from harness.tree import PREFIX, SEGUE

ID = "org.example.place"

METADATA = f"""[Plugin]
Id={ID}
Name=Place
Version=1.0
ABI=1
Objects=position;

[Object position]
Name=A place in a text
Properties=file;line;marks;
RestoreKeys=

[Property position/file]
Type=s
Required=true
Scope=this-device

[Property position/line]
Type=u
Scope=portable
Default=1

[Property position/marks]
Type=au
Scope=portable
"""

# What a test gives as a macro runs in, or stands for, a place of it.
SOURCE = r"""
#include <errno.h>
#include <segue/plugin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CRASH raise(SIGSEGV)
#define HANG for (;;) pause()

#ifndef ABI
#define ABI SEGUE_PLUGIN_ABI
#endif
#ifndef ENTRY
#define ENTRY segue_entry
#endif
#ifndef LINE_TYPE
#define LINE_TYPE "u"
#endif
#ifndef LINE_DEFAULT
#define LINE_DEFAULT "1"
#endif
#ifndef ID
#define ID "org.example.place"
#endif
#ifdef MORE_FUNCTIONS
MORE_FUNCTIONS
#endif
#ifndef MORE_PROPERTIES
#define MORE_PROPERTIES
#endif

struct place {
  const segue_plugin_host *host;
  char file[64];
  uint32_t line;
  uint32_t marks[8];
  size_t mark_count;
};

static const char *get_file(struct place *place) {
#ifdef GET_FILE
  GET_FILE;
#endif
  return place->file;
}

static int set_file(struct place *place, const char *file) {
#ifdef SET_FILE
  SET_FILE;
#endif
  strncpy(place->file, file, sizeof place->file - 1);
  return 0;
}

static uint32_t get_line(struct place *place) {
#ifdef GET_LINE
  GET_LINE;
#endif
  return place->line;
}

static int set_line(struct place *place, uint32_t line) {
#ifdef SET_LINE
  SET_LINE;
#endif
  place->line = line;
  return 0;
}

static const uint32_t *get_marks(struct place *place, size_t *count) {
  *count = place->mark_count;
#ifdef GET_MARKS
  GET_MARKS;
#endif
  return place->marks;
}

static int set_marks(struct place *place, const uint32_t *marks, size_t count) {
  if (count > 8) return -E2BIG;
  memcpy(place->marks, marks, count * sizeof *marks);
  place->mark_count = count;
  return 0;
}

static int create(const segue_plugin_host *host, void **out_object) {
#ifdef CREATE
  CREATE;
#endif
  struct place *place = calloc(1, sizeof *place);
  if (place == NULL) return -ENOMEM;
  place->host = host;
  strcpy(place->file, "a.txt");
  place->line = 7;
  place->mark_count = 2;
  *out_object = place;
  return 0;
}

static void destroy(void *object) {
#ifdef DESTROY
  DESTROY;
#endif
  free(object);
}

#define FUNCTION(name) ((segue_plugin_function)(name))

static const segue_plugin_property properties[] = {
    {"file", "s", SEGUE_PROPERTY_THIS_DEVICE | SEGUE_PROPERTY_REQUIRED, NULL, FUNCTION(get_file), FUNCTION(set_file),
     NULL},
    {"line", LINE_TYPE, SEGUE_PROPERTY_PORTABLE, LINE_DEFAULT, FUNCTION(get_line), FUNCTION(set_line), NULL},
    {"marks", "au", SEGUE_PROPERTY_PORTABLE, NULL, FUNCTION(get_marks), FUNCTION(set_marks), NULL},
    MORE_PROPERTIES};

static int update(void *object, segue_activity *activity) {
  (void)object, (void)activity;
#ifdef UPDATE
  UPDATE;
#endif
  return 0;
}

static int restore(void *object, segue_activity *activity) {
  (void)object, (void)activity;
#ifdef RESTORE
  RESTORE;
#endif
  return 0;
}

static const segue_plugin_object_descriptor descriptor = {
    .struct_size = sizeof descriptor,
    .property_size = sizeof properties[0],
    .id = "position",
    .name = "A place in a text",
    .create = create,
    .destroy = destroy,
    .properties = properties,
    .property_count = sizeof properties / sizeof properties[0],
    .update_user_activity_state = update,
    .restore_user_activity_state = restore,
};
static const segue_plugin_object_descriptor *const descriptors[] = {&descriptor};
static const segue_plugin_object_factory factory = {sizeof factory, 1, descriptors};

static int init(void) {
#ifdef INIT
  INIT;
#endif
  return 0;
}

static void deinit(void) {
#ifdef DEINIT
  DEINIT;
#endif
}

static const void *get_factory(const char *id) {
#ifdef GET_FACTORY
  GET_FACTORY;
#endif
  return strcmp(id, SEGUE_PLUGIN_OBJECT_FACTORY) == 0 ? &factory : NULL;
}

#ifdef LOADED
__attribute__((constructor)) static void loaded(void) { LOADED; }
#endif
#ifdef ENDED
__attribute__((destructor)) static void ended(void) { ENDED; }
#endif

SEGUE_PLUGIN_EXPORT const segue_plugin_entry ENTRY = {sizeof ENTRY, ABI, ID, init, deinit, get_factory};
"""


@pytest.fixture
def plugin(tmp_path):
    """Compiles the plugin with macros, and writes its metadata beside it; the library's path."""
    source = tmp_path / "plugin.c"
    source.write_text(SOURCE)
    folder = tmp_path / "plugins"
    folder.mkdir(mode=0o755)

    def build(metadata=METADATA, name=ID, **macros):
        path = folder / f"{name}.so"
        subprocess.run(
            ["cc", "-shared", "-fPIC", f"-I{PREFIX}/include", *(f"-D{key}={value}" for key, value in macros.items()),
             "-o", path, source], check=True)
        path.chmod(0o755)
        if metadata is not None:
            (folder / f"{name}.plugin").write_text(metadata)
        return path

    return build


def run(*arguments, **options):
    # Without a bus: nobody is asked.
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("DBUS_", "XDG_"))}
    return subprocess.run(
        [SEGUE, "plugin", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment, **options)


def check(path, *options):
    """Its findings; the exit status tells whether there are errors among them."""
    done = run("check", path, "--json", *options)
    assert done.stdout, done.stderr
    findings = json.loads(done.stdout)
    errors = [item for item in findings if item["severity"] == "error"]
    assert done.returncode == (1 if errors else 0), done
    return findings


def errors(path, *options):
    found = [item for item in check(path, *options) if item["severity"] == "error"]
    assert all(item["advice"] for item in found), found
    return [item["message"] for item in found]


def error(path, *options):
    found, = errors(path, *options)
    return found


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


# What a plugin may do to its process

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


# What is no plugin

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


# What its functions give

@pytest.mark.parametrize("macros, words", [
    ({"GET_FILE": "return NULL"}, "its getter returned NULL"),
    ({"GET_FILE": r'return "\xff"'}, "its getter returned text that is not UTF-8"),
    ({"GET_MARKS": "*count = SIZE_MAX"}, "elements, more than 4096"),
    ({"GET_MARKS": "*count = 4097"}, "elements, more than 4096"),
    ({"GET_MARKS": "return NULL"}, "its getter returned NULL"),
    ({"SET_LINE": "return -ERANGE"}, "its setter has failed: Numerical result out of range"),
    ({"SET_LINE": "line += 1"}, "position/line is another one after it was restored"),
    ({"CREATE": "return -ENOMEM"}, "it could not be made: Cannot allocate memory"),
    ({"UPDATE": "return -EIO"}, "update_user_activity_state has failed: Input/output error"),
])
def test_whatItsFunctionsGive(plugin, macros, words):
    found = errors(plugin(**macros))
    assert any(words in message for message in found), found
    assert all("position" in message for message in found), found


def test_whatIsComeUponAgainIsSaidOnce(plugin):
    assert "its getter returned NULL" in error(plugin(GET_FILE="return NULL"))


@pytest.mark.parametrize("letters, result", [("v", "segue_value *"), ("mu", "const uint32_t *"), ("ms", "const char *")])
def test_nothingToRestoreYet(plugin, letters, result):
    metadata = METADATA.replace("marks;", "marks;any;") + (
        "\n[Property position/any]\nType=" + letters + "\nRequired=true\nScope=portable\n")
    path = plugin(
        metadata, MORE_PROPERTIES='{"any", "' + letters + '", 5, NULL, FUNCTION(get_any), NULL, NULL}',
        MORE_FUNCTIONS=f"static {result}get_any(void *object) {{ (void)object; return NULL; }}", RESTORE="CRASH")
    assert [item["message"] for item in check(path)] == [
        "position holds no any when it is made, which is required: its restoring was not tried.", f"{ID} works."]


# The other commands

def test_list(plugin):
    path = plugin()
    plugin(name="org.example.broken", metadata="nonsense")
    done = run("list", "--folder", path.parent)
    assert done.returncode == 0 and done.stderr == ""
    first, second, third = done.stdout.splitlines()
    assert first.split() == ["ID", "VERSION", "NAME", "FILE"]
    assert second.split() == [ID, "1.0", "Place", str(path)]
    assert third.startswith("error: ") and "Line 1" in third
    items = json.loads(run("list", "--folder", path.parent, "--json").stdout)
    assert [item.get("id") for item in items] == [None, ID]
    assert "Line 1" in items[0]["error"] and items[1]["objects"][0]["properties"][1]["default"] == "1"


def test_whatIsInstalled():
    """By its ids; and it works, all of it."""
    names = sorted(path.stem for path in (PREFIX / "lib/segue/plugins").glob("*.plugin"))
    assert names, "no plugins are installed"
    items = json.loads(run("list", "--json").stdout)
    assert [item.get("id") for item in items] == names
    for name, item in zip(names, items):
        assert json.loads(run("show", name, "--json").stdout) == item
        assert errors(name) == []


def test_listOfAFolderWithoutPlugins(tmp_path):
    done = run("list", "--folder", tmp_path / "none")
    assert done.returncode == 1 and "No such file" in done.stderr
    assert run("list", "--folder", tmp_path).stdout == f"There are no plugins in {tmp_path}.\n"


def test_show(plugin):
    # It is not loaded.
    path = plugin(LOADED="CRASH")
    done = run("show", path)
    assert done.returncode == 0
    assert "integer, 0 to 4294967295 (u)" in done.stdout and "this device" in done.stdout
    assert json.loads(run("show", path.with_suffix(".plugin"), "--json").stdout)["id"] == ID
    done = run("show", "org.example.nowhere")
    assert done.returncode == 1 and "There is no plugin org.example.nowhere" in done.stderr


@pytest.mark.parametrize("name", ["place", "../a.b", "org.example.", "org example.place", "/org.example.place", ""])
def test_newWithANameThatIsNone(name, tmp_path):
    done = run("new", name, cwd=tmp_path)
    assert done.returncode == 1 and "is no id of a plugin" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_new(tmp_path):
    done = run("new", "org.example.my-counter", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "org.example.my-counter"
    assert "make check" in done.stdout and str(folder.name) in done.stdout
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert (folder / "Makefile") in files and (folder / "org.example.my-counter.plugin") in files
    for file in files:
        assert "PLUGIN_ID" not in file.name + file.read_text() and "@PLUGIN_NAME@" not in file.read_text()
    again = run("new", "org.example.my-counter", cwd=tmp_path)
    assert again.returncode == 1 and "it is there" in again.stderr
    assert run("new", "org.example.my-counter", "--folder", tmp_path / "other").returncode == 0
