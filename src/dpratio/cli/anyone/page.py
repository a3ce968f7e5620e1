"""The page command: the planner and the viewer in a browser."""

from typing import Annotated

import typer

from dpratio.cli.output import say


def page(
    port: Annotated[int, typer.Option(help="Port; 0 takes any that is free.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page.")
    ] = True,
) -> None:
    """Plan a study or view a release in the browser, on this machine alone."""
    from dpratio.checks import import_extra

    for package in ("starlette", "uvicorn"):
        import_extra(package, "page")
    from dpratio.web.serve import serve_page

    def tell(address: str) -> None:
        stop = "It reads no data and spends nothing. Stop it with Ctrl-C."
        say(f"The page is at {address}", stop)

    serve_page(port=port, browse=browser, say=tell)
