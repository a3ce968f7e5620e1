"""The audit command: does this installation put as much noise as it claims?"""

from typing import TYPE_CHECKING, Annotated

import typer

from dpratio.cli import options
from dpratio.cli.output import Output, progress_bar
from dpratio.errors import AuditFailed

if TYPE_CHECKING:
    from dpratio.simulation.audit.findings import Audit


def audit(  # noqa: PLR0913 (one command, its filters)
    samples: Annotated[
        int, typer.Option(help="Samples drawn of each of two tables, for each case.")
    ] = 100_000,
    epsilon: Annotated[
        list[str] | None,
        typer.Option(help="A budget to try; repeat for more. By default 0.2, 1 and 4."),
    ] = None,
    mechanism: Annotated[
        list[str] | None,
        typer.Option(help="Only this noise; repeat for more."),
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="Only focused, joint, even, cuts, keys, stages or histograms; "
            "repeat for more."
        ),
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option(
            help="Only row, changed-row or person, at every epsilon; by default "
            "rows, and the others at the largest epsilon."
        ),
    ] = None,
    json_file: options.JsonFile = None,
    csv_file: options.CsvFile = None,
    force: options.Replace = False,
    layout: options.Format = "table",
    wide: options.Wide = False,
) -> None:
    """Release invented neighbours end to end; hold what they show to what is claimed.

    Ends with exit code 12 where more was shown than is claimed, or where the noise is
    not of the law that is planned. No data and no ledger are touched.
    """
    import tempfile
    from pathlib import Path

    from dpratio.simulation.audit.audit_noise import audit_noise

    output = Output(layout, json_file, csv_file, force=force, wide=wide)
    given = {
        "epsilons": epsilon,
        "mechanisms": mechanism,
        "strategies": strategy,
        "units": unit,
    }
    chosen = {name: each for name, each in given.items() if each}
    with tempfile.TemporaryDirectory() as folder, progress_bar("Auditing") as report:
        found = audit_noise(
            folder=Path(folder),
            samples=samples,
            report=report,
            **chosen,
        )
    output.answer(found)
    output.say(["", *_closing_lines(found)])
    _require_sound(found)


def _closing_lines(found: "Audit") -> list[str]:
    from dpratio.simulation.audit.findings import SOUND, TOO_FEW

    few = found.with_verdict(TOO_FEW)
    more = f" {few} need more samples: --samples {10 * found.samples}." if few else ""
    faults = found.faults()
    return [
        *(["Noise that is not as planned:", *faults, ""] if faults else []),
        f"{found.with_verdict(SOUND)} of {len(found.findings)} sound.{more}",
    ]


def _require_sound(found: "Audit") -> None:
    from dpratio.simulation.audit.findings import BROKEN

    broken = found.with_verdict(*BROKEN)
    if broken:
        raise AuditFailed(
            f"{broken} of {len(found.findings)} claims are broken: see their verdicts. "
            "Release nothing with this installation, and report it as SECURITY.md says."
        )
