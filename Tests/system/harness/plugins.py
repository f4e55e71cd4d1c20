"""Plugins that a test compiles, and `segue plugin`, which tells of them. Neither needs a daemon."""

import json
import os
import shutil
import subprocess

import pytest

from .tree import PREFIX, SEGUE

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

# A test's macros run at, or replace, places of this source.
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
#ifndef FILE_SCOPE
#define FILE_SCOPE SEGUE_PROPERTY_THIS_DEVICE
#endif
#ifndef LINE_TYPE
#define LINE_TYPE "u"
#endif
#ifndef LINE_IN_C
#define LINE_IN_C uint32_t
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
#ifndef MORE_MEMBERS
#define MORE_MEMBERS
#endif
#ifndef MORE_PROPERTIES
#define MORE_PROPERTIES
#endif

struct place {
  const segue_plugin_host *host;
  char file[64];
  LINE_IN_C line;
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
  if (strlen(file) >= sizeof place->file) return -ENAMETOOLONG;
  strncpy(place->file, file, sizeof place->file - 1);
  return 0;
}

static LINE_IN_C get_line(struct place *place) {
#ifdef GET_LINE
  GET_LINE;
#endif
  return place->line;
}

static int set_line(struct place *place, LINE_IN_C line) {
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
#ifdef SET_MARKS
  SET_MARKS;
#endif
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
    {"file", "s", FILE_SCOPE | SEGUE_PROPERTY_REQUIRED, NULL, FUNCTION(get_file), FUNCTION(set_file),
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
    MORE_MEMBERS};
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


@pytest.fixture
def plugin_prefix(plugin, tmp_path):
    """The same, where an application of this prefix may load it from; the prefix. All of it is for every device."""

    def build(**macros):
        path = plugin(METADATA.replace("Scope=this-device", "Scope=portable"), FILE_SCOPE="1", **macros)
        folder = tmp_path / "prefix" / "lib" / "segue" / "plugins"
        folder.mkdir(mode=0o755, parents=True)
        for file in [path, path.with_suffix(".plugin")]:
            shutil.copy(file, folder)
        return tmp_path / "prefix"

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
