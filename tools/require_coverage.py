"""Report coverage and demand every branch of the rooms privacy rests on."""

import subprocess
import sys

GUARDED = (
    "src/dpratio/terms/*,src/dpratio/plan/*,src/dpratio/release/*,src/dpratio/curator/*"
)


def main() -> int:
    """Print the whole report, then fail unless the guarded rooms are at 100 %."""
    coverage = [sys.executable, "-m", "coverage"]
    subprocess.run([*coverage, "report", "--skip-covered"], check=False)
    guarded = [*coverage, "report", f"--include={GUARDED}", "--fail-under=100"]
    return subprocess.run(guarded, check=False, stdout=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
