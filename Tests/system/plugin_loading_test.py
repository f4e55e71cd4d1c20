"""Which files become plugins of a process (include/segue/hosting.h, docs/security.md, attack 47).

A library of its own, in a tree of its own, so that the system's plugin folder is one that the tests may fill.
"""

import errno
import itertools
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest
from harness.tree import HERE, LIBRARY, PREFIX

LOADING = HERE.parent / "loading"
#: Users that nobody is.
USER, STRANGER = 12345, 54321
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="files of several users are made by root")
numbers = itertools.count(1)


def compile_c(source, output, *flags):
    subprocess.run(
        [os.environ.get("CC", "cc"), "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror",
         f"-I{PREFIX / 'include'}", "-o", output, source, *flags], check=True)


def give(path, owner):
    """Makes all of it another user's."""
    subprocess.run(["chown", "-hR", f"{owner}:{owner}", path], check=True)


class Tree:
    """An installed library, an application that is linked with it, and folders for plugins."""

    def __init__(self):
        # In /tmp, where everybody may be: everybody's folders are on the way to it, and nobody else's.
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="sg-", dir="/tmp"))
        self.path.chmod(0o755)
        self.system = self.path / "lib" / "segue" / "plugins"
        self.system.mkdir(parents=True)
        shutil.copy(LIBRARY, self.path / "lib" / "libsegue.so.0")
        self.host = self.path / "host"
        library = self.path / "lib"
        compile_c(LOADING / "host.c", self.host, f"-L{library}", "-l:libsegue.so.0", f"-Wl,-rpath,{library}")

    def empty(self):
        for path in [*self.system.iterdir(), self.path / "app", self.path / "evil"]:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def prefix(self, name="app"):
        """An application's prefix, and its folder of plugins."""
        folder = self.path / name / "lib" / "segue" / "plugins"
        folder.mkdir(parents=True)
        return self.path / name, folder

    def run(self, prefix, *plugins, user=None, program=None, **options):
        """The application's line for each plugin, by path or id."""
        command = [program or self.host, prefix or "-", *plugins]
        if user is not None:
            options.update(user=user, group=user, extra_groups=[])
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, **options)
        assert done.returncode == 0, done.stderr
        self.process, *lines = done.stdout.splitlines()
        assert len(lines) == len(plugins), done.stdout
        return lines


@pytest.fixture(scope="module")
def whole_tree():
    made = Tree()
    yield made
    shutil.rmtree(made.path)


@pytest.fixture
def tree(whole_tree):
    yield whole_tree
    whole_tree.empty()


def new_id():
    return f"org.segue.loading.t{next(numbers)}"


def metadata(id, abi=1):
    return (f"[Plugin]\nId={id}\nName=Test\nVersion=1\nABI={abi}\nObjects=one;\n\n[Object one]\nName=One\n"
            "Properties=number;\n\n[Property one/number]\nType=i\nScope=portable\n")


def make(folder, id, number=1, told_abi=1, **definitions):
    """A plugin in a folder, whose object's number is that; its path."""
    path = folder / f"{id}.so"
    values = {"ID": f'"{id}"', "NUMBER": number, **definitions}
    compile_c(LOADING / "plugin.c", path, "-shared", "-fPIC", *(f"-D{key}={value}" for key, value in values.items()))
    (folder / f"{id}.plugin").write_text(metadata(id, told_abi))
    path.chmod(0o755)
    return path


def refused(line, code, *words):
    assert line.startswith(f"refused -{code} "), line
    for word in words:
        assert str(word) in line


@as_root
def test_theSystemsFolderIsBesideTheLibrary(tree):
    id = new_id()
    path = make(tree.system, id, 5)
    for user in [None, USER]:
        assert tree.run(None, path, id, new_id(), user=user) == 2 * [f"loaded {id} 5"] + [f"no path -{errno.ENOENT}"]


@as_root
def test_theInstalledTree(whole_tree):
    id = new_id()
    folder = PREFIX / "lib" / "segue" / "plugins"
    folder.mkdir(parents=True, exist_ok=True)
    path = make(folder, id, 6)
    try:
        environment = {**os.environ, "LD_LIBRARY_PATH": str(PREFIX / "lib")}
        assert whole_tree.run(None, path, id, env=environment) == 2 * [f"loaded {id} 6"]
    finally:
        path.unlink()
        path.with_suffix(".plugin").unlink()


def test_theApplicationsOwnPrefix(tree):
    id = new_id()
    prefix, folder = tree.prefix()
    path = make(folder, id, 7)
    # The system has another one of this id: the application's goes first.
    other = make(tree.system, id, 8)
    assert tree.run(prefix, id, path) == 2 * [f"loaded {id} 7"]
    refused(tree.run(None, path)[0], errno.EACCES, path, tree.system)
    lines = tree.run(prefix, path, other)
    assert lines[0] == f"loaded {id} 7"
    refused(lines[1], errno.EINVAL, id, path)


@as_root
def test_aPrefixOfTheUsers(tree):
    id = new_id()
    prefix, folder = tree.prefix()
    path = make(folder, id, 9)
    give(prefix, USER)
    assert tree.run(prefix, path, user=USER) == [f"loaded {id} 9"]
    # To another user it is a stranger's, to root too.
    for user in [STRANGER, None]:
        refused(tree.run(prefix, path, user=user)[0], errno.EACCES, prefix, f"user {USER}")


@as_root
def attack47_anothersFiles(tree):
    id = new_id()
    prefix, folder = tree.prefix()
    path = make(folder, id)
    for name in [prefix, folder, path, path.with_suffix(".plugin")]:
        give(prefix, USER)
        os.chown(name, STRANGER, STRANGER)
        refused(tree.run(prefix, path, user=USER)[0], errno.EACCES, name, f"user {STRANGER}")
    # In the system's folder the user's own are another's too.
    path = make(tree.system, id)
    for name in [path, path.with_suffix(".plugin")]:
        os.chown(name, USER, USER)
        refused(tree.run(tree.path / "app", path, user=USER)[0], errno.EACCES, name, f"user {USER}")
        os.chown(name, 0, 0)
    assert tree.run(None, path, user=USER) == [f"loaded {id} 1"]


def attack47_filesThatOthersCanWrite(tree):
    id = new_id()
    prefix, folder = tree.prefix()
    path = make(folder, id)
    for name in [prefix, prefix / "lib", folder, path, path.with_suffix(".plugin")]:
        mode = name.stat().st_mode
        for bit in [0o020, 0o002]:
            name.chmod(mode | bit)
            refused(tree.run(prefix, path)[0], errno.EACCES, name, "chmod go-w")
        name.chmod(mode)
    assert tree.run(prefix, path) == [f"loaded {id} 1"]


def attack47_otherPaths(tree):
    id, linked, alone = new_id(), new_id(), new_id()
    prefix, folder = tree.prefix()
    path = make(folder, id)
    evil = make(tree.prefix("evil")[1], id)
    (folder / f"{linked}.so").symlink_to(evil)
    (folder / f"{linked}.plugin").write_text(metadata(linked))
    shutil.copy(path, folder / f"{alone}.so")
    (folder / "more").symlink_to(evil.parent)
    os.mkfifo(folder / "org.segue.fifo.so")
    for name, code in [
        (evil, errno.EACCES), (folder / "more" / path.name, errno.EACCES), (folder / f"{linked}.so", errno.EACCES),
        (folder / "org.segue.fifo.so", errno.EACCES), (f"{folder}/../plugins/{id}.so", errno.EINVAL),
        (f"/{path}", errno.EINVAL), (folder / "nodots.so", errno.EINVAL), (folder / f"{id}.plugin", errno.EINVAL),
        (folder / "org.segue.none.so", errno.ENOENT), (folder / f"{alone}.so", errno.ENOENT),
        (prefix / "none" / f"{id}.so", errno.ENOENT),
    ]:
        refused(tree.run(prefix, name)[0], code)
    refused(tree.run("app", path, cwd=tree.path)[0], errno.EINVAL, "prefix")


@as_root
def attack47_aSetIDProgramHasNoPrefix(tree):
    if os.statvfs(tree.path).f_flag & os.ST_NOSUID:
        pytest.skip("the file system of /tmp takes no set-id programs")
    mine, systems = new_id(), new_id()
    prefix, folder = tree.prefix()
    path = make(folder, mine, 3)
    give(prefix, USER)
    system = make(tree.system, systems, 4)
    program = tree.path / "set-id"
    shutil.copy(tree.host, program)
    os.chown(program, USER, USER)
    program.chmod(0o4755)
    lines = tree.run(prefix, path, mine, system, user=STRANGER, program=program)
    assert tree.process == f"user {USER} secure 1"
    refused(lines[0], errno.EACCES, path)
    assert lines[1:] == [f"no path -{errno.ENOENT}", f"loaded {systems} 4"]
    # The same user without set-id has it.
    assert tree.run(prefix, path, mine, user=USER) == 2 * [f"loaded {mine} 3"]
    assert tree.process == f"user {USER} secure 0"
    program.unlink()


@as_root
def attack47_nothingOfTheEnvironment(tree):
    id = new_id()
    path = make(tree.system, id, 11)
    evil = tree.path / "evil"
    for folder in ["", "lib/segue/plugins", "segue/plugins", "plugins", ".local/share/segue/plugins"]:
        (evil / folder).mkdir(parents=True, exist_ok=True)
        make(evil / folder, id, 12)
    names = ["HOME", "PREFIX", "SEGUE_PREFIX", "SEGUE_PLUGINS", "SEGUE_PLUGIN_PATH", "SEGUE_PLUGIN_DIR", "TMPDIR",
             "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_RUNTIME_DIR", "PWD"]
    trace = tree.path / "app"
    done = subprocess.run(
        ["strace", "-f", "-e", "trace=%file", "-s", "4096", "-o", trace, tree.host, "-", id, path], cwd=evil,
        env={"PATH": os.environ["PATH"], **dict.fromkeys(names, str(evil))}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    if "ptrace" in done.stderr and done.returncode:
        pytest.skip(f"strace does not work here: {done.stderr.strip()}")
    assert done.stdout.splitlines()[1:] == 2 * [f"loaded {id} 11"]
    lines = trace.read_text()
    assert f'"{id}.so"' in lines
    assert str(evil) not in lines
    # The loader does not search the working directory, and does not use the plugin's bare name.
    for line in lines.splitlines():
        if id in line and "openat(" in line:
            assert f'"{id}.' in line and "AT_FDCWD" not in line, line


@as_root
def attack47_aLibraryThatWasFoundByARelativePath(tree):
    """As in whatever folder the process was started in: no folder is the system's then."""
    id = new_id()
    path = make(tree.system, id)
    environment = {**os.environ, "LD_LIBRARY_PATH": "lib"}
    lines = tree.run(None, path, id, cwd=tree.path, env=environment)
    refused(lines[0], errno.EACCES, path)
    assert lines[1] == f"no path -{errno.ENOENT}"


def attack47_anotherABI(tree):
    id, other = new_id(), new_id()
    prefix, folder = tree.prefix()
    mark = tree.path / "evil"
    path = make(folder, id, told_abi=2, ABI=2, MARK=f'"{mark}"')
    refused(tree.run(prefix, path)[0], errno.EIO, id, "ABI 2")
    assert not mark.exists()
    # One that lies in its metadata has its constructors run, and is not called.
    path = make(folder, other, ABI=2, MARK=f'"{mark}"')
    refused(tree.run(prefix, path)[0], errno.EIO, other, "ABI 2")
    assert mark.exists()
    assert not mark.with_suffix(".init").exists()


def attack47_anotherLibrary(tree):
    """A plugin that is loaded and then refused stays loaded, in nobody else's place: each has its own descriptor."""
    prefix, folder = tree.prefix()
    failing, nameless, liar, text, unresolved, good, last = (new_id() for _ in range(7))
    plugins = [
        make(folder, failing, RESULT=-errno.ENODEV), make(folder, nameless, NO_ENTRY=1), make(folder, liar, ID='"a.b"'),
        make(folder, text), make(folder, unresolved), make(folder, good, 21), make(folder, last, 22),
    ]
    plugins[3].write_text("This is not a library.\n")
    source = tree.path / "app" / "unresolved.c"
    source.write_text("int nowhere(void);\nint somewhere(void) { return nowhere(); }\n")
    compile_c(source, plugins[4], "-shared", "-fPIC")
    lines = tree.run(prefix, *plugins, *plugins)
    for first in [0, 7]:
        refused(lines[first], errno.EIO, failing, "init", os.strerror(errno.ENODEV))
        refused(lines[first + 1], errno.EBADMSG, nameless, "segue_entry")
        refused(lines[first + 2], errno.EBADMSG, liar)
        refused(lines[first + 3], errno.EIO, text)
        refused(lines[first + 4], errno.EIO, unresolved, "nowhere")
        assert lines[first + 5:first + 7] == [f"loaded {good} 21", f"loaded {last} 22"]
