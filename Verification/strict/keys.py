"""Throw-away certificates and provider keys for one run."""

import datetime
import ipaddress
import ssl
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

TEAM, BUNDLE = "TEAM123456", "com.example.strict"


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


class Keys:
    """One authority, the server's certificates, a client's, and provider keys by key id."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.authority_key = ec.generate_private_key(ec.SECP256R1())
        self.authority = self._sign("strict authority", self.authority_key, authority=True)
        self.trust = folder / "ca.pem"
        self.trust.write_bytes(self.authority.public_bytes(serialization.Encoding.PEM))
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        self.issue("server", names)
        self.issue("wrong-name", [x509.DNSName("elsewhere.example")])
        self.issue("expired", names, days=(-30, -1))
        self.issue("client", [], client=True)
        self.public = {}
        for key_id in ("KEYAAAAAAA", "KEYBBBBBBB"):
            key = ec.generate_private_key(ec.SECP256R1())
            (folder / f"{key_id}.p8").write_bytes(_pem(key))
            self.public[key_id] = key.public_key()

    def _sign(
        self,
        name: str,
        key: ec.EllipticCurvePrivateKey,
        authority: bool = False,
        names: Sequence[x509.GeneralName] = (),
        days: tuple[int, int] = (-1, 2),
        client: bool = False,
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(_name(name))
            .issuer_name(_name("strict authority"))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + datetime.timedelta(days=days[0]))
            .not_valid_after(now + datetime.timedelta(days=days[1]))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        if not authority:
            use = ExtendedKeyUsageOID.CLIENT_AUTH if client else ExtendedKeyUsageOID.SERVER_AUTH
            builder = builder.add_extension(x509.ExtendedKeyUsage([use]), critical=False)
        return builder.sign(self.authority_key, hashes.SHA256())

    def issue(
        self, name: str, names: Sequence[x509.GeneralName], days: tuple[int, int] = (-1, 2), client: bool = False
    ) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._sign(name, key, names=names, days=days, client=client)
        (self.folder / f"{name}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        (self.folder / f"{name}-key.pem").write_bytes(_pem(key))

    def context(self, name: str = "server", client_certificate: bool = False) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["h2"])
        context.load_cert_chain(self.folder / f"{name}.pem", self.folder / f"{name}-key.pem")
        if client_certificate:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.trust)
        return context
