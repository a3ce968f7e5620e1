"""Certificates for tests of encrypted connections, made by openssl."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Authority", "authority_at"]

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


@dataclass(frozen=True)
class Authority:
    """An authority of one's own: its certificate and the key that it signs with."""

    folder: Path

    @property
    def root(self) -> Path:
        """What clients are given to recognise it."""
        return self.folder / "root.crt"

    def settings(self, host: str) -> dict[str, str]:
        """Certify a host; give what PgBouncer is set to."""
        key, certificate = self.folder / f"{host}.key", self.folder / f"{host}.crt"
        asked, more = self.folder / f"{host}.csr", self.folder / f"{host}.txt"
        more.write_text(f"subjectAltName=DNS:{host}\n")
        _openssl("req", *_KEY, "-subj", f"/CN={host}", "-keyout", key, "-out", asked)
        signed = ("-CA", self.root, "-CAkey", self.folder / "root.key")
        _openssl(
            *("x509", "-req", "-in", asked, *signed, "-CAcreateserial"),
            *("-days", "2", "-extfile", more, "-out", certificate),
        )
        key.chmod(0o644)  # The pooler is another user where tests run as root.
        return {
            "client_tls_sslmode": "require",
            "client_tls_key_file": str(key),
            "client_tls_cert_file": str(certificate),
        }


def authority_at(folder: Path) -> Authority:
    """Make an authority in a new folder."""
    folder.mkdir()
    made = Authority(folder)
    out = ("-keyout", folder / "root.key", "-out", made.root)
    _openssl("req", "-x509", *_KEY, "-days", "2", "-subj", "/CN=ours", *out)
    return made


def _openssl(*words: str | Path) -> None:
    command = ["openssl", *(str(word) for word in words)]
    subprocess.run(command, check=True, capture_output=True)
