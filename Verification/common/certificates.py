"""Certificates for servers that must not be trusted, made by the openssl command."""

import subprocess
from pathlib import Path

CA_CONFIGURATION = """[ca]
default_ca = main
[main]
dir = {folder}
database = {folder}/index.txt
new_certs_dir = {folder}
serial = {folder}/serial
certificate = {folder}/ca.pem
private_key = {folder}/ca-key.pem
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
"""


class Authority:
    """A certificate authority in a folder; `certificate` is what a client is told to trust."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        self.certificate = folder / "ca.pem"
        (folder / "index.txt").touch()
        (folder / "serial").write_text("1000\n")
        (folder / "ca.cnf").write_text(CA_CONFIGURATION.format(folder=folder))
        self._openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=test authority",
            "-keyout", folder / "ca-key.pem", "-out", self.certificate, "-days", "2",
        )  # fmt: skip

    def issue(self, name: str, host: str = "DNS:localhost,IP:127.0.0.1", expired: bool = False) -> tuple[Path, Path]:
        """A server's certificate and key."""
        key, request, certificate = (self.folder / f"{name}{end}" for end in ("-key.pem", ".csr", ".pem"))
        self._openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
            "-addext", f"subjectAltName={host}", "-keyout", key, "-out", request,
        )  # fmt: skip
        dates = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"] if expired else ["-days", "2"]
        self._openssl("ca", "-batch", "-notext", "-config", self.folder / "ca.cnf", "-in", request, "-out", certificate, *dates)
        return certificate, key

    @staticmethod
    def _openssl(*arguments: str | Path) -> None:
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=30)
