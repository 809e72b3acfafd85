"""Servers of viser's: at an address of this machine, quiet, not shared, and for their own pages alone."""

from __future__ import annotations

import inspect
import os
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from lissom.errors import InputError, UnsupportedError, install_extra

LOOPBACK = "127.0.0.1"
THIS_MACHINE = (LOOPBACK, "localhost", "::1")
_starting = threading.Lock()


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
                "or omit it to use the first free port."
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
        raise UnsupportedError(f"view: viser is not installed: {install_extra('viewer')}.") from None
    return viser


def start(host: str, port: int) -> Any:
    """A server of viser's that keeps to itself."""
    viser = viser_package()
    with _without_banners(), _own_pages_only(host):
        server = viser.ViserServer(host=host, port=port, verbose=False)
    server.request_share_url = _not_shared  # a page in some browser could ask for it
    return server


def stop(server: Any) -> None:
    """End a server."""
    with _without_banners():
        server.stop()


@contextmanager
def _without_banners() -> Iterator[None]:
    """viser announces its start and end through rich, which in notebooks does not write to the standard output."""
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def own_page(host: str, asked: str, origin: str | None) -> bool:
    """Whether a request for the server `asked` comes from a page of a server at `host`, or from no page at all.

    Any page in a browser may open a websocket to this machine; the browser tells of which site it is. A site may also
    give its own name the address of this machine, which shows in the name that is asked for.

    Examples
    --------
    >>> own_page("127.0.0.1", "localhost:8080", "http://localhost:8080")
    True
    >>> own_page("127.0.0.1", "localhost:8080", "http://elsewhere.example")
    False
    >>> own_page("127.0.0.1", "elsewhere.example:8080", "http://elsewhere.example:8080")
    False
    """
    try:
        name, page = urlsplit(f"//{asked}").hostname, None if origin is None else urlsplit(origin).netloc
    except ValueError:
        return False
    if page is not None and page.lower() != asked.lower():
        return False
    return host not in THIS_MACHINE or name in THIS_MACHINE


@contextmanager
def _own_pages_only(host: str) -> Iterator[None]:
    """Servers of viser's that start meanwhile refuse pages of others; viser has no word for it, websockets has."""
    from websockets.asyncio import server as library

    plain, met = library.serve, []

    def serve(handler: Any, *args: Any, **options: Any) -> Any:
        if handler.__module__.startswith("viser."):
            met.append(handler)
            options["process_request"] = _refusing(host, options.get("process_request"))
        return plain(handler, *args, **options)

    with _starting:
        library.serve = serve  # type: ignore[assignment, misc]
        try:
            yield
        finally:
            library.serve = plain  # type: ignore[misc]
    if not met:
        warnings.warn("view: this version of viser lets web pages of other sites read the viewer.", stacklevel=4)


def _refusing(host: str, answer: Callable[..., Any] | None) -> Callable[..., Any]:
    """`answer`, for own pages; 403 for others."""

    async def process_request(connection: Any, request: Any) -> Any:
        names, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        once = len(names) == 1 and len(origins) <= 1
        if not once or not own_page(host, names[0], origins[0] if origins else None):
            return connection.respond(403, "This viewer answers its own pages only.\n")
        said = None if answer is None else answer(connection, request)
        return await said if inspect.isawaitable(said) else said

    return process_request


def _not_shared(*_: Any, **__: Any) -> None:
    """viser can offer itself to the world through a tunnel; this one does not."""
