"""A browser's process: tells a test its arguments, starts a native host, and passes the host's standard descriptors on.

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
    # The process's descriptor is passed on, too: the process may have been reaped when the test looks for it.
    descriptors = [
        program.stdin.fileno(), program.stdout.fileno(), program.stderr.fileno(), os.pidfd_open(program.pid)]
    socket.send_fds(connection, [b"started"], descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    connection.close()
    os._exit(os.waitstatus_to_exitcode(os.waitpid(program.pid, 0)[1]))
