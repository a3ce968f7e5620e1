"""Serving the page on this machine, for this machine."""

import contextlib
import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from dpratio.checks import refuse, require
from dpratio.web.page import make_application

_LARGEST_PORT = 65_535
_PATIENCE = 2


def serve_page(*, port: int, browse: bool, say: Callable[[str], None]) -> None:
    """Serve the page on loopback until it is interrupted.

    Args:
        port: The port; 0 takes any that is free.
        browse: Whether to open the page in the reader's browser.
        say: Told the address, once it answers.

    Raises:
        InvalidInput: When the port is taken, or is not a port.
    """
    with _listen(port) as listening:
        own = int(listening.getsockname()[1])
        address = f"http://127.0.0.1:{own}/"
        config = uvicorn.Config(
            make_application(own),
            # Logging belongs to the program we run in; Uvicorn's would close handlers.
            log_config=None,
            log_level="warning",
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_PATIENCE,
        )
        say(address)
        if browse:
            # A browser in the terminal would hold us up until it is closed.
            threading.Thread(
                target=webbrowser.open, args=(address,), daemon=True
            ).start()
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])


def _listen(port: int) -> socket.socket:
    """Listen on loopback; from here on the address answers, if slowly."""
    known = 0 <= port <= _LARGEST_PORT
    require(known, "a port is a number from 0 to 65535", port, "0 takes a free one.")
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        listening.close()
        hint = f"{error.strerror}. Choose another port; 0 takes a free one."
        refuse("the port cannot be used", port, hint)
    listening.listen()
    return listening
