"""TLS on one TCP connection. One thread reads while others write, which Python's own TLS sockets do not allow."""

import ctypes
import socket
import ssl
import threading

from ..bounds import SECONDS


#: The library that Python's own TLS has loaded, for functions that Python does not offer.
LIBSSL = ctypes.CDLL("libssl.so.3")


class Refused(Exception):
    """The other side does not finish TLS, or closes at once."""


class Connection:
    def __init__(self, plain, context, is_server=False, session=None, slow=None, name=None):
        """`name`: the server name that is asked for."""
        self.plain = plain
        #: Seconds between two bytes that leave, for a slow peer.
        self.slow = slow
        self.ended = threading.Event()
        self.tls_lock = threading.Lock()
        self.send_lock = threading.Lock()
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(
            self.incoming, self.outgoing, server_side=is_server, server_hostname=name, session=session)
        try:
            self.shake_hands()
        except (ssl.SSLError, OSError) as error:
            self.close()
            raise Refused(str(error)) from None

    @classmethod
    def dial(cls, address, context, **options):
        return cls(socket.create_connection(address, timeout=SECONDS), context, **options)

    @property
    def certificate(self):
        """The certificate of the other side, in DER."""
        return self.tls.getpeercert(binary_form=True)

    def shake_hands(self):
        while True:
            try:
                self.tls.do_handshake()
                return self.flush()
            except ssl.SSLWantReadError:
                self.flush()
                if not self.feed():
                    raise ConnectionError("closed while hands were shaken") from None

    def feed(self):
        """Waits for bytes on the socket; false at its end."""
        data = self.plain.recv(1 << 16)
        with self.tls_lock:
            self.incoming.write(data) if data else self.incoming.write_eof()
        return bool(data)

    def read(self):
        """The next bytes inside TLS, waited for; empty at the end."""
        while True:
            with self.tls_lock:
                try:
                    return self.tls.read(1 << 16)
                except ssl.SSLWantReadError:
                    pass
                except ssl.SSLError:
                    return b""
            try:
                if not self.feed():
                    return b""
            except TimeoutError:
                # A long silence of the other side is no failure of this one.
                if self.ended.is_set():
                    return b""
            except OSError:
                return b""

    def write(self, data):
        """Sends bytes inside TLS; an OSError means that the other side has closed."""
        with self.send_lock:
            with self.tls_lock:
                self.tls.write(data)
            self.flush()

    def write_records(self, data):
        with self.send_lock:
            with self.tls_lock:
                for byte in data:
                    self.tls.write(bytes((byte,)))
            self.flush()

    def write_tickets(self, count):
        """Offers so many sessions, which only the side that accepted may; returns how many bytes that takes."""
        with self.send_lock:
            with self.tls_lock:
                for _ in range(count):
                    self.call("SSL_new_session_ticket")
                self.call("SSL_do_handshake")
            return self.flush()

    def write_updates(self, count):
        """Changes the key `count` times; returns how many bytes that takes."""
        with self.send_lock:
            with self.tls_lock:
                for _ in range(count):
                    # The other side is not asked to do so, too.
                    self.call("SSL_key_update", 0)
                    self.call("SSL_do_handshake")
            return self.flush()

    def call(self, name, *arguments):
        # OpenSSL's pointer to the connection is the second field of Python's object, after the object's head.
        place = id(self.tls._sslobj) + object.__basicsize__ + ctypes.sizeof(ctypes.c_void_p)
        assert getattr(LIBSSL, name)(ctypes.c_void_p.from_address(place), *arguments) == 1, name

    def flush(self):
        data = self.outgoing.read()
        if not self.slow:
            self.plain.sendall(data)
            return len(data)
        for byte in data:
            if self.ended.wait(self.slow):
                break
            self.plain.sendall(bytes([byte]))
        return len(data)

    def close(self):
        """Closes TCP without a goodbye."""
        self.ended.set()
        try:
            self.plain.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.plain.close()
