"""A browser's process: says to a test what it was started with. It then starts a program, as a browser starts what its
extension speaks with, and hands its standard descriptors to the test.

native_browser.py SOCKET ARGUMENT...
"""

import json
import os
import socket
import subprocess
import sys

connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.sendall(json.dumps(sys.argv[2:]).encode())
command = connection.recv(65536)
if command:
    program = subprocess.Popen(
        json.loads(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # The process too: it may have ended, and be known no more, when the test looks for it.
    descriptors = [
        program.stdin.fileno(), program.stdout.fileno(), program.stderr.fileno(), os.pidfd_open(program.pid)]
    socket.send_fds(connection, [b"started"], descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    connection.close()
    os._exit(os.waitstatus_to_exitcode(os.waitpid(program.pid, 0)[1]))
