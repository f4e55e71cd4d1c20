"""serve HOST CERTIFICATE KEY | send HOST PORT BYTES: both ends of one connection of TLS 1.3. `serve` prints its
port; `send` prints MiB a second, until the last byte has arrived."""

import socket
import ssl
import sys
import time

CHUNK = 1 << 20


def serve(host, certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_cert_chain(certificate, key)
    with socket.create_server((host, 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        raw, _ = listener.accept()
        with context.wrap_socket(raw, server_side=True) as connection:
            left = int.from_bytes(connection.recv(8), "big")
            buffer = bytearray(CHUNK)
            while left:
                left -= connection.recv_into(buffer)
            connection.sendall(b".")


def send(host, port, count):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(socket.create_connection((host, int(port)))) as connection:
        left = int(count)
        connection.sendall(left.to_bytes(8, "big"))
        chunk = bytes(CHUNK)
        begun = time.monotonic()
        while left:
            connection.sendall(chunk[:min(left, CHUNK)])
            left -= min(left, CHUNK)
        if connection.recv(1) != b".":
            sys.exit("the other end has not got it all")
        print(int(count) / CHUNK / (time.monotonic() - begun))


{"serve": serve, "send": send}[sys.argv[1]](*sys.argv[2:])
