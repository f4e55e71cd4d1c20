#!/usr/bin/python3
"""Stands for the program that opens a terminal's window: tells the test, at the socket, what was to run in it."""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    connection.sendall(json.dumps({"arguments": sys.argv[2:], "environment": dict(os.environ)}).encode())
