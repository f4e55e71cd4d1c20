"""A monitor of all messages that cross a device's session bus."""

import os

from dbus_fast import unpack_variants


class Monitor:
    def __init__(self, device):
        self.wire = device.bus()
        self.wire.monitor()
        self.other = device.bus()

    def seen(self):
        """All that has crossed since it was asked last: (message, its words), the contents of descriptors included."""
        self.other.emit("/", "org.segue.test", "Now")
        seen = []
        while (message := self.wire.receive()).interface != "org.segue.test":
            content = repr([message.member, message.path, unpack_variants(message.body)])
            for descriptor in message.unix_fds:
                content += os.readlink(f"/proc/self/fd/{descriptor}")
                try:
                    content += repr(os.pread(descriptor, 1 << 20, 0))
                except OSError:
                    pass
                os.close(descriptor)
            seen.append((message, content))
        return seen

    def close(self):
        self.wire.close()
        self.other.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
