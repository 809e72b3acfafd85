"""Servers of viser's: at an address of this machine, quiet, and not shared."""

from __future__ import annotations

import io
import os
import socket
from contextlib import redirect_stdout
from typing import Any

from lissom.errors import InputError, UnsupportedError

LOOPBACK = "127.0.0.1"


def refuse_taken(host: str, port: int | None) -> None:
    """viser would take the next port, or look for one for long."""
    try:
        family = socket.getaddrinfo(host or None, port or 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(*family[:3]) as probe:
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(family[4])
    except OSError as error:
        if port is not None and error.errno is not None and not isinstance(error, socket.gaierror):
            raise InputError(
                f"view: port {port} of {host} cannot be used ({error.strerror}); choose another with port= (--port), "
                "or leave it out for the first free one."
            ) from None
        raise InputError(f"view: host {host!r} is not an address of this machine ({error.strerror}).") from None


def address(host: str, port: int) -> str:
    """What a browser of this machine opens.

    Examples
    --------
    >>> address("127.0.0.1", 8080), address("::1", 8081)
    ('http://localhost:8080', 'http://[::1]:8081')
    """
    name = "localhost" if host in (LOOPBACK, "0.0.0.0", "::", "") else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"


def viser_package() -> Any:
    """The package, or a sentence."""
    try:
        import viser
    except ModuleNotFoundError:
        raise UnsupportedError('view: viser is not installed; get it with: pip install "lissom[viewer]"') from None
    return viser


def start(host: str, port: int) -> Any:
    """A server of viser's that keeps to itself."""
    viser = viser_package()
    with redirect_stdout(io.StringIO()):  # it greets
        server = viser.ViserServer(host=host, port=port, verbose=False)
    server.request_share_url = _not_shared  # a page in some browser could ask for it
    return server


def stop(server: Any) -> None:
    """End it."""
    with redirect_stdout(io.StringIO()):  # it takes its leave
        server.stop()


def _not_shared(*_: Any, **__: Any) -> None:
    """viser can offer itself to the world through a tunnel; this one does not."""
