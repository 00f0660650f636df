"""Certificate chains of four key kinds, made by openssl."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

KINDS = {
    "p256": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "p384": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
    "rsa": ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
    "ed25519": ["-algorithm", "ED25519"],
}
CA = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n"
LEAF = "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n"


def openssl(*arguments: object) -> bytes:
    return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True).stdout


@dataclass(frozen=True)
class Issued:
    certificate: Path
    key: Path


class Authority:
    """Issues certificates into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._count = 0

    def key(self, kind: str | list[str]) -> Path:
        self._count += 1
        path = self.folder / f"{self._count}.key"
        openssl("genpkey", *(KINDS[kind] if isinstance(kind, str) else kind), "-out", path)
        return path

    def issue(
        self, kind: str | list[str], issuer: Issued | None = None, extensions: str = LEAF,
        days: tuple[str, str] | None = None, name: str | None = None, options: tuple[str, ...] = (),
        key: Path | None = None, subject: str | None = None,
    ) -> Issued:
        key = key or self.key(kind)
        base = self.folder / key.stem
        subject = subject or f"/CN={name or 'name ' + key.stem}"
        request, config, out = (base.with_suffix(suffix) for suffix in (".csr", ".cnf", ".pem"))
        openssl("req", "-new", "-key", key, "-subj", subject, "-out", request)
        config.write_text("[e]\n" + extensions)
        signer = ["-CA", issuer.certificate, "-CAkey", issuer.key] if issuer else ["-signkey", key]
        extras = ["-extfile", config, "-extensions", "e"] if extensions else []
        if days:  # openssl x509 of version 3.0 knows no dates; openssl ca does
            self._with_dates(request, out, issuer, key, config, days)
        else:
            openssl("x509", "-req", "-in", request, *signer, "-set_serial", self._count, "-days", "30", *extras,
                    *options, "-out", out)
        return Issued(out, key)

    def _with_dates(self, request, out, issuer, key, config, days):
        database, settings = out.with_suffix(".db"), out.with_suffix(".ca")
        database.write_text("")
        settings.write_text(
            f"[ca]\ndefault_ca=d\n[d]\ndatabase={database}\nnew_certs_dir={self.folder}\ndefault_md=sha256\n"
            f"policy=p\nrand_serial=yes\n[p]\ncommonName=supplied\n"
        )
        openssl("ca", "-batch", "-config", settings, "-in", request, "-out", out, "-cert", issuer.certificate,
                "-keyfile", issuer.key, "-startdate", days[0], "-enddate", days[1], "-extfile", config,
                "-extensions", "e", "-notext")


@pytest.fixture(scope="session")
def authority(tmp_path_factory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@dataclass(frozen=True)
class Chain:
    """root → intermediate → leaf; `pem` holds leaf and intermediate."""

    root: Issued
    intermediate: Issued
    leaf: Issued

    @property
    def pem(self) -> bytes:
        return self.leaf.certificate.read_bytes() + self.intermediate.certificate.read_bytes()


@pytest.fixture(scope="session")
def chains(authority) -> dict[str, Chain]:
    result = {}
    for kind in KINDS:
        root = authority.issue(kind, extensions=CA)
        intermediate = authority.issue(kind, root, CA)
        extensions = LEAF + "extendedKeyUsage=clientAuth\nsubjectAltName=DNS:peer.example\n"
        leaf = authority.issue(kind, intermediate, extensions)
        result[kind] = Chain(root, intermediate, leaf)
    return result
