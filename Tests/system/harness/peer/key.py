"""A device's key: its certificate, its id, and TLS with both."""

import base64
import hashlib
import pathlib
import ssl
import subprocess

#: The protocol's name and major version.
ALPN = "segue/1"


class Key:
    """A key in a PEM file, with its certificate. Made without a file, it is a new one."""

    def __init__(self, folder, pem=None):
        self.pem = pathlib.Path(pem or folder / "key.pem")
        if pem is None:
            make(self.pem)
        self.hash = hashlib.sha256(public_key_info(self.pem)).digest()
        self.id = text(self.hash)

    @classmethod
    def of(cls, device):
        """The key of a device that has a daemon: its owner counts as that device."""
        return cls(device.folder, device.folder / "state/segue/identity.pem")

    def client(self, alpn=ALPN):
        """The TLS context for a connection that is dialled."""
        return self.prepared(context(alpn))

    def server(self, alpn=ALPN):
        """The TLS context for a connection that is accepted; it accepts every certificate."""
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.set_alpn_protocols([alpn])
        return self.prepared(made)

    def prepared(self, made):
        made.minimum_version = ssl.TLSVersion.TLSv1_3
        made.load_cert_chain(self.pem)
        return made


def context(alpn=ALPN):
    """The TLS context of a dialler that shows no certificate."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    made.set_alpn_protocols([alpn])
    return made


def make(pem, *options, environment=None):
    """A new P-256 key with a certificate that it signed itself; `options` of `openssl req` make another kind."""
    options = options or ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "1"]
    certificate = pem.with_suffix(".certificate")
    openssl("req", "-x509", "-nodes", "-subj", "/CN=x", "-keyout", pem, "-out", certificate, *options,
            environment=environment)
    pem.write_text(pem.read_text() + certificate.read_text())


def openssl(*arguments, environment=None, data=b""):
    return subprocess.run(
        ["openssl", *arguments], check=True, env=environment, input=data, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE).stdout


def public_key_info(pem):
    """The SubjectPublicKeyInfo in DER."""
    return openssl("pkey", "-in", pem, "-pubout", "-outform", "DER")


def digits(data):
    return base64.b32encode(data).decode().lower().rstrip("=")


def check_digits(hash_):
    return digits(hashlib.sha256(b"segue device id" + hash_).digest())[:4]


def check(hash_):
    """The numbers of a device id's last group."""
    return bytes("abcdefghijklmnopqrstuvwxyz234567".index(digit) for digit in check_digits(hash_))


def text(hash_):
    """A device's id as people read it."""
    whole = digits(hash_) + check_digits(hash_)
    return "-".join(whole[start:start + 4] for start in range(0, len(whole), 4))


def bytes_of(text_):
    """The bytes that `digits` encodes."""
    return base64.b32decode(text_.upper() + "=" * (-len(text_) % 8))


def hash_of(id_):
    """The hash that an id's text stands for."""
    return bytes_of(id_.replace("-", "")[:52])


def hash_in(certificate):
    """The hash of the key in a certificate in DER, which makes a device's id."""
    pem = openssl("x509", "-inform", "DER", "-noout", "-pubkey", data=certificate)
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(
        pem.decode().replace("PUBLIC KEY", "CERTIFICATE"))).digest()
