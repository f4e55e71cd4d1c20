"""Pictures in PNG, as browsers and displays give them."""

import struct
import zlib


class Picture:
    """A picture of 8 bits a channel, not interlaced."""

    def __init__(self, data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        parts, at = {}, 8
        while at < len(data):
            length, kind = struct.unpack_from(">I4s", data, at)
            parts[kind] = parts.get(kind, b"") + data[at + 8:at + 8 + length]
            at += 12 + length
        self.width, self.height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", parts[b"IHDR"])
        assert depth == 8 and not interlaced
        self.palette = parts.get(b"PLTE")
        self.channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colours]
        self.rows = self._rows(zlib.decompress(parts[b"IDAT"]))

    def _rows(self, data):
        count, width = self.channels, self.width * self.channels
        rows, above = [], bytearray(width)
        for start in range(0, len(data), width + 1):
            row = bytearray(data[start + 1:start + 1 + width])
            self._undo(data[start], row, above, count)
            rows.append(row)
            above = row
        return rows

    @staticmethod
    def _undo(kind, row, above, count):
        """Undoes a row's filter: bytes are stored as differences from those beside and above them."""
        for index in range(len(row) if kind else 0):
            left = row[index - count] if index >= count else 0
            corner = above[index - count] if index >= count else 0
            up = above[index]
            if kind == 4:
                nearest = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (
                    abs(left + up - 2 * corner), 2, corner))[2]
            row[index] = row[index] + (0, left, up, (left + up) // 2, nearest if kind == 4 else 0)[kind] & 255

    def pixel(self, x, y):
        part = bytes(self.rows[y][x * self.channels:(x + 1) * self.channels])
        if self.palette:
            return tuple(self.palette[3 * part[0]:3 * part[0] + 3])
        return tuple(part[:3]) if self.channels > 2 else (part[0],) * 3

    def row(self, x, y, width):
        """So many pixels from there, to be compared."""
        return bytes(self.rows[y][x * self.channels:(x + width) * self.channels])

    def stripes(self, x):
        """The colours down this column, each with how many rows it has."""
        found = []
        for y in range(self.height):
            colour = self.pixel(x, y)
            if found and found[-1][0] == colour:
                found[-1][1] += 1
            else:
                found.append([colour, 1])
        return [(colour, count) for colour, count in found]
