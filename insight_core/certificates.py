"""Files of a TLS certificate and its key, and the context for servers that use them."""

from __future__ import annotations

import os
import ssl

from insight_core.plugin import InvalidArgument


class CertificateFiles:
    """A certificate chain and its private key in PEM format; ``key`` None: both are in one file."""

    def __init__(self, chain: str, key: str | None) -> None:
        self._chain = os.path.expanduser(chain)
        self._key = os.path.expanduser(key) if key is not None else None
        self._seen: tuple[object, ...] = ()

    def changed(self) -> bool:
        """Whether a file is another one than at the last call; True at the first call."""
        stamps = tuple(_stamp(path) for path in (self._chain, self._key) if path is not None)
        before, self._seen = self._seen, stamps
        return stamps != before

    def context(self) -> ssl.SSLContext:
        """A context for servers, TLS 1.2 or newer. Raises InvalidArgument for files that cannot be used."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_cert_chain(self._chain, self._key, password=_no_password)
        except (OSError, ValueError) as error:
            raise InvalidArgument(self._problem(error)) from error
        return context

    def read(self) -> tuple[bytes, bytes]:
        """Key and chain as they are in the files. Raises InvalidArgument for files that cannot be used."""
        self.context()
        pem = []
        for path in (self._key or self._chain, self._chain):
            with open(path, "rb") as file:
                pem.append(file.read())
        return pem[0], pem[1]

    def _problem(self, error: Exception) -> str:
        for flag, path in (("--tls-cert", self._chain), ("--tls-key", self._key)):
            if path is not None:
                try:
                    with open(path, "rb"):
                        pass
                except OSError as failure:
                    return f"{flag} {path}: {(failure.strerror or str(failure)).lower()}"
        files = f"--tls-cert {self._chain}" + (f" with --tls-key {self._key}" if self._key else "")
        if isinstance(error, ssl.SSLError) and error.reason == "KEY_VALUES_MISMATCH":
            return f"{files}: the key is not that of the certificate"
        if not isinstance(error, OSError):
            return f"{files}: {error}"
        return f"{files}: not a certificate chain and its key in PEM format"


def _no_password() -> str:
    raise ValueError("the key is encrypted; give it without a password")


def _stamp(path: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
