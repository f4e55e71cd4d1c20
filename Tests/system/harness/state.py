"""The files that a daemon keeps."""

import re

#: The lines about a paired device that the daemon writes by itself after a link is up, a moment later; and the file's
#: checksum, which changes with them.
NOTED = re.compile(rb"^((own-name|learned|reached|reached-us|seen)=|# sha256 ).*\n", re.MULTILINE)


def kept(device):
    """The files' contents by their paths, without drafts that are being written, and without those lines."""
    folder = device.folder / "state" / "segue"
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".new"]
    return {path: NOTED.sub(b"", path.read_bytes()) for path in files}
