"""Run the command line as ``python -m dpratio``."""

from dpratio.cli.main import run

__all__: list[str] = []

if __name__ == "__main__":
    run()
