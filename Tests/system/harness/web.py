"""A web server of the test's own over TLS, and certificates for it of every kind."""

import datetime
import http.server
import pathlib
import secrets
import ssl
import subprocess
import tempfile
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from .bounds import SECONDS

PATH = "/.well-known/apple-app-site-association"
ROOT_PATH = "/apple-app-site-association"
HOST = "pages.example"


class Certificate:
    """A key and its certificate, in files; `chain`: those that lead on to the root, the root itself not."""

    def __init__(self, folder, name, key, certificate, chain=b""):
        self.key, self.certificate = folder / f"{name}.key", folder / f"{name}.pem"
        self.chain, self.all = folder / f"{name}.chain", folder / f"{name}.all"
        self.secret, self.signed = key, certificate
        pem = certificate.public_bytes(serialization.Encoding.PEM)
        self.key.write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        self.certificate.write_bytes(pem)
        self.chain.write_bytes(chain)
        self.all.write_bytes(pem + chain)
        self.pem = pem


class Authority:
    """A root that tests trust, one below it, and the certificates of hosts."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.count = 0
        self.root = self.issue("root", by=None, is_authority=True)
        self.middle = self.issue("middle", by=self.root, is_authority=True)

    @property
    def roots(self):
        return self.root.certificate

    def issue(self, host, by="middle", kind="ec", usage=ExtendedKeyUsageOID.SERVER_AUTH, is_authority=False,
              begin=-1, end=30, signs=True):
        """`begin`, `end`: in days from now. `by`: None signs itself."""
        by = self.middle if by == "middle" else by
        self.count += 1
        key = rsa.generate_private_key(65537, 2048) if kind == "rsa" else ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{host} {secrets.token_hex(4)}")])
        now = datetime.datetime.utcnow()
        builder = x509.CertificateBuilder().subject_name(name).public_key(key.public_key())
        builder = builder.issuer_name(by.signed.subject if by else name).serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now + datetime.timedelta(days=begin))
        builder = builder.not_valid_after(now + datetime.timedelta(days=end))
        builder = builder.add_extension(x509.BasicConstraints(is_authority, None), critical=True)
        builder = builder.add_extension(
            x509.KeyUsage(
                signs and not is_authority, False, not signs, False, False, is_authority, is_authority, False, False),
            critical=True)
        if not is_authority:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
            if usage:
                builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        certificate = builder.sign(by.secret if by else key, hashes.SHA256())
        chain = by.pem if by and by is not getattr(self, "root", None) else b""
        return Certificate(self.folder, f"{self.count}", key, certificate, chain)

    def sign(self, content, by, *options, command="cms"):
        """As the published recipe has it, with `openssl cms` or `openssl smime`."""
        chain = ["-certfile", str(by.chain)] if by.chain.read_bytes() else []
        return subprocess.run(
            ["openssl", command, "-sign", "-binary", "-nodetach", "-outform", "DER", "-signer", str(by.certificate),
             "-inkey", str(by.key), *chain, *options],
            input=content, check=True, stdout=subprocess.PIPE).stdout


class Answer:
    def __init__(self, body=b"", status=200, **headers):
        self.body, self.status, self.headers = body, status, headers


class Site:
    """Answers each path as it is told, whatever the host; others with 404. `body` may be what yields bytes."""

    def __init__(self, certificate):
        self.answers = {}
        #: The paths and hosts that were asked for.
        self.asked = []
        self.lock = threading.Condition()
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            timeout = 60

            def do_GET(self):
                with site.lock:
                    site.asked.append((self.headers["Host"], self.path))
                    site.lock.notify_all()
                answer = site.answers.get(self.path) or Answer(status=404)
                try:
                    self.send_response(answer.status)
                    for name, value in answer.headers.items():
                        self.send_header(name.replace("_", "-"), value)
                    if isinstance(answer.body, bytes):
                        self.send_header("Content-Length", str(len(answer.body)))
                    self.end_headers()
                    for part in [answer.body] if isinstance(answer.body, bytes) else answer.body():
                        self.wfile.write(part)
                except OSError:
                    # The client has closed the connection.
                    self.close_connection = True

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                # Clients that refuse the certificate.
                pass

            def finish_request(self, request, address):
                # In the thread of the connection: one that does not finish its handshake keeps nobody waiting.
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(site.certificate.all, site.certificate.key)
                request.settimeout(60)
                super().finish_request(context.wrap_socket(request, server_side=True), address)

        self.certificate = certificate
        self.server = Server(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def until_asked(self, host):
        """Until somebody has asked for a host; the hosts that were asked for."""
        with self.lock:
            found = self.lock.wait_for(lambda: host in self.hosts(), SECONDS)
            assert found, f"nobody asked for {host}, but for {self.hosts()}"
            return self.hosts()

    def hosts(self):
        return {host for host, _ in self.asked}


def environment(site, authority):
    """What has the daemon, and the command line, ask this site in place of every other one."""
    return {"SEGUE_ASSOCIATIONS_ROOTS": str(authority.roots), "SEGUE_ASSOCIATIONS_SERVER": site.address}


def folder():
    return tempfile.TemporaryDirectory(prefix="sg-web-", dir="/tmp")
