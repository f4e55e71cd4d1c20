"""A text file on the disk. Other programs change it too, so it never overwrites a version that it has not read."""

import ctypes
import errno
import hashlib
import os
import pathlib
import shutil
import stat
import tempfile

#: The largest file, in bytes, which is more than a person writes by hand.
LARGEST = 4 << 20


class Refused(Exception):
    """The file cannot be opened by a text editor."""


class Changed(Exception):
    """The file differs from the version that was last read or written."""


class TextFile:
    def __init__(self, path):
        # The link's target: saving must not replace the link by a file.
        self.path = pathlib.Path(os.path.realpath(path))
        #: The digest of the version that was last read or written; None: there was no file.
        self.known = None

    def is_at(self, path):
        return self.path == pathlib.Path(os.path.realpath(path))

    def read(self):
        data = read(self.path)
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise Refused(f"“{self.path.name}” is not text in UTF-8: byte {error.start + 1} is in the way.") from None
        if "\0" in text:
            raise Refused(f"“{self.path.name}” is not text: it has bytes of value 0.")
        self.known = digest(data)
        return text

    def is_read_only(self):
        try:
            # Also checked for root, whom no permission stops.
            return not os.stat(self.path).st_mode & 0o222 or not os.access(self.path, os.W_OK)
        except FileNotFoundError:
            return False

    def now(self):
        """The digest of its present content; None without a file."""
        try:
            return digest(read(self.path))
        except FileNotFoundError:
            return None

    def write(self, text):
        """Writes the text in one step: a program that reads the file meanwhile, to synchronise it, finds it whole."""
        if self.now() != self.known:
            raise Changed
        data = text.encode()
        with tempfile.NamedTemporaryFile(dir=self.path.parent, prefix=f".{self.path.name}-", delete=False) as draft:
            try:
                draft.write(data)
                draft.flush()
                os.fsync(draft.fileno())
                self._put(pathlib.Path(draft.name))
            except BaseException:
                pathlib.Path(draft.name).unlink(missing_ok=True)
                raise
        self.known = digest(data)

    def _put(self, draft):
        """Puts the draft in the file's place."""
        if self.known is None:
            draft.chmod(0o666 & ~umask())
            # Unlike a rename, a link fails if there is a file by now.
            os.link(draft, self.path)
            draft.unlink()
            return
        shutil.copymode(self.path, draft)
        if not exchange(draft, self.path):
            os.replace(draft, self.path)
        elif digest(draft.read_bytes()) == self.known:
            draft.unlink()
        else:
            # The file has changed since it was checked, a moment ago.
            os.replace(draft, self.free_path("other version"))

    def keep_other(self):
        """Keeps another program's version beside the file, so that `write` may overwrite it. Returns its path."""
        self.known = self.now()
        if self.known is None:
            return None
        copy = self.free_path("other version")
        shutil.copy2(self.path, copy)
        return copy

    def keep(self, text):
        """Keeps a text beside the file. Returns its path."""
        copy = self.free_path("my version")
        with open(copy, "x", encoding="utf-8", newline="") as file:
            file.write(text)
        return copy

    def free_path(self, what):
        count = 1
        while True:
            words = what if count == 1 else f"{what} {count}"
            path = self.path.with_name(f"{self.path.stem} ({words}){self.path.suffix}")
            if not path.exists():
                return path
            count += 1


def read(path):
    # A file of a shared folder may be of any kind: opening a pipe would block.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Refused(f"“{path.name}” is not a file.")
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise Refused(f"“{path.name}” is larger than {LARGEST >> 20} MiB.")
    return data


def digest(data):
    return hashlib.sha256(data).hexdigest()


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def exchange(one, other):
    """Exchanges two files in one step; False where the file system cannot (renameat2)."""
    at_folder, exchange_flag = -100, 2
    library = ctypes.CDLL(None, use_errno=True)
    if library.renameat2(at_folder, os.fsencode(one), at_folder, os.fsencode(other), exchange_flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS):
        return False
    raise OSError(number, os.strerror(number), str(other))
