"""The launcher that the tests' service files run: connects to the test, and becomes the program that is given.

launcher.py SOCKET PROGRAM ARGUMENT...
"""

import os
import socket
import sys

connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
os.dup2(connection.fileno(), 0)
os.dup2(connection.fileno(), 1)
os.execv(sys.argv[2], sys.argv[2:])
