#!/usr/bin/python3
"""first_calls SYMBOLS OUT PROGRAM [ARGUMENT]...: runs a program, and writes to OUT which of its functions were called, in
the order of their first calls.

SYMBOLS: the program before it was stripped. Each function has a breakpoint, which goes with its first call, so the
program is hardly slower. For x86-64; scripts/symbol-order uses it.
"""

import ctypes
import os
import signal
import struct
import subprocess
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
LIBC.ptrace.restype = ctypes.c_long
TRACEME, CONT, GETREGS, SETREGS, DETACH, SETOPTIONS = 0, 7, 12, 13, 17, 0x4200
#: Threads are traced too; a process that has become another program is not. The program ends with this one.
OPTIONS = 0x8 | 0x10 | 0x100000
EVENT_EXEC = 4
INSTRUCTION_POINTER = 16
#: __WALL: threads as well.
ALL = 0x40000000
BREAKPOINT = b"\xcc"


def functions(program):
    """A name of each of its functions by its address, which counts from its first byte. The linker has made one of those
    with the same instructions."""
    names = {}
    lines = subprocess.run(["readelf", "-sW", program], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    for fields in map(str.split, lines):
        if len(fields) == 8 and fields[3] == "FUNC" and fields[6].isdigit() and fields[2] != "0":
            names.setdefault(int(fields[1], 16), fields[7])
    return names


class Trace:
    """A program with a breakpoint at each function that was not called yet."""

    def __init__(self, symbols, command):
        names = functions(symbols)
        self.called = []
        self.pid = os.fork()
        if self.pid == 0:
            LIBC.ptrace(TRACEME, 0, None, None)
            os.execv(command[0], command)
        os.waitpid(self.pid, 0)
        self.ask(SETOPTIONS, self.pid, OPTIONS)
        # The daemon is a name of the one program.
        program = os.path.realpath(command[0])
        with open(f"/proc/{self.pid}/maps") as maps:
            base = next(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(program))
        self.memory = open(f"/proc/{self.pid}/mem", "r+b", buffering=0)
        self.names = {base + address: found for address, found in names.items()}
        self.covered = {}
        for address in sorted(self.names):
            self.covered[address] = os.pread(self.memory.fileno(), 1, address)
            os.pwrite(self.memory.fileno(), BREAKPOINT, address)

    def ask(self, request, thread, data=0):
        if LIBC.ptrace(request, thread, None, data) < 0:
            raise ProcessLookupError(ctypes.get_errno())

    def run(self):
        """Until it ends; its status."""
        self.ask(CONT, self.pid)
        while True:
            thread, status = os.waitpid(-1, ALL)
            if os.WIFSTOPPED(status):
                self.stopped(thread, os.WSTOPSIG(status), status >> 16)
            elif thread == self.pid:
                return os.waitstatus_to_exitcode(status)

    def stopped(self, thread, number, event):
        try:
            if event == EVENT_EXEC:
                return self.ask(DETACH, thread)
            # A thread's first stop comes by itself.
            passed = 0 if event or number == signal.SIGSTOP or number == signal.SIGTRAP and self.hit(thread) else number
            self.ask(CONT, thread, passed)
        except ProcessLookupError:
            pass

    def hit(self, thread):
        registers = ctypes.create_string_buffer(27 * 8)
        self.ask(GETREGS, thread, ctypes.addressof(registers))
        address = struct.unpack_from("Q", registers, INSTRUCTION_POINTER * 8)[0] - 1
        if address not in self.covered:
            return False
        # Another thread may have been there at the same moment.
        if address in self.names:
            self.called.append(self.names.pop(address))
            os.pwrite(self.memory.fileno(), self.covered[address], address)
        struct.pack_into("Q", registers, INSTRUCTION_POINTER * 8, address)
        self.ask(SETREGS, thread, ctypes.addressof(registers))
        return True


def main():
    symbols, out, *command = sys.argv[1:]
    trace = Trace(symbols, command)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: os.kill(trace.pid, number))
    status = trace.run()
    with open(out, "w") as file:
        file.writelines(f"{name}\n" for name in trace.called)
    sys.exit(status if status >= 0 else 1)


if __name__ == "__main__":
    main()
