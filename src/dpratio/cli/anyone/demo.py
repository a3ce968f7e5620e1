"""Commands for anyone: demo."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from dpratio.cli import options
from dpratio.cli.output import Output
from dpratio.tabular import Tabular

if TYPE_CHECKING:
    import numpy as np

    from dpratio.curator.ledger.ledger import Ledger

TRUE_RATIOS = {"north": 1.0, "east": 1.05, "south": 1.1, "west": 1.2}

STUDY = """\
# Are the scores calibrated in every region? Read this before anything runs.

[data]
path = "{path}"

[ratio]
numerator = "score"
per = "label"
weight = "weight"

[bounds]
score = {{ natural = [0, 1] }}
label = "binary"
weight = [0.3333333333333333, 3]

[groups]
column = "region"
keys = ["north", "east", "south", "west"]

[privacy]
epsilon = 1.0
delta = 1e-6
"""


def demo(
    folder: Annotated[Path, typer.Option(help="Where to write the files.")] = Path(
        "demo"
    ),
    people: Annotated[int, typer.Option(help="Invented people per region.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of the invented people.")] = 4,
    layout: options.Format = "table",
) -> None:
    """Invent people, plan, release, and show intervals beside the invented truth."""
    import numpy as np

    from dpratio.analyst.ratio.estimate import estimate_ratios
    from dpratio.checks import require
    from dpratio.cli.data_holder.curate import plan
    from dpratio.cli.studies import plan_of, read_study
    from dpratio.curator.ledger.history import describe
    from dpratio.curator.release_sums import release_sums
    from dpratio.release.files import read_release
    from dpratio.show.report import write_report

    output = Output(layout)
    require(people >= 1, "people must be at least 1", people)
    study, saved = folder / "study.toml", folder / "release.json"
    told = folder / "report.html"
    _require_own(folder)
    _write_files(folder, study, people, np.random.default_rng(seed))
    output.say([f"Invented {people} people in each of four regions: {folder}/."])
    output.say(["", f"The plan, as `dpratio plan {study}` shows it:", ""])
    if layout == "table":
        plan(study)
    book = _new_ledger(folder / "ledger.db")
    release_sums(
        folder / "people.parquet",
        plan_of(read_study(study)),
        ledger=book,
        out=saved,
        replace=True,
        simulated=True,
    )
    shown = f"dpratio ledger show --ledger {folder}/ledger.db"
    output.say(["", f"The ledger, as `{shown}` shows it:", ""])
    output.say(describe(book.account()))
    estimates = estimate_ratios(read_release(saved))
    output.say(
        [
            "",
            f"The answer, as `dpratio estimate {saved}` shows it, beside the truth:",
            "",
        ]
    )
    output.print_table(_BesideTruth(estimates))
    held = sum(
        low <= truth <= high < math.inf
        for low, truth, high in zip(
            estimates.ci_lower, TRUE_RATIOS.values(), estimates.ci_upper, strict=True
        )
    )
    counted = f"{held} of {len(estimates)} intervals hold the invented truth"
    again = "95 % do in the long run. Invent others with --seed 5; the noise is fresh."
    output.say(["", f"{counted}; {again}"])
    write_report(told, read_release(saved), title="Are the scores calibrated?")
    output.say(["", f"All of it to look at, in any browser: {told}"])


def _require_own(folder: Path) -> None:
    """Refuse to write over a folder that is not the demo's own."""
    from dpratio.errors import FileRefused

    study = folder / "study.toml"
    first = STUDY.splitlines()[0]
    try:
        own = study.read_text(encoding="utf-8").startswith(first)
    except (OSError, ValueError):
        own = False
    if not own and folder.is_dir() and any(folder.iterdir()):
        raise FileRefused(
            f"'{folder}' holds files that are not the demo's. Name another folder with "
            "--folder."
        )


def _new_ledger(path: Path) -> "Ledger":
    """Begin a ledger: the people were invented anew, so nothing is spent on them."""
    from dpratio.curator.ledger.account.scope import Scope
    from dpratio.curator.ledger.ledger import Ledger
    from dpratio.terms.budget import Budget

    path.unlink(missing_ok=True)
    book = Ledger(path)
    book.open_scope(Scope("people", Budget(3, "1e-5"), dataset="invented people"))
    return book


def _write_files(
    folder: Path, study: Path, people: int, rng: "np.random.Generator"
) -> None:
    import numpy as np

    from dpratio.curator.reading.table import write_parquet
    from dpratio.errors import FileRefused
    from dpratio.simulation.population import PaperPopulation

    regions = [PaperPopulation(each)(rng, 1, people) for each in TRUE_RATIOS.values()]
    weights = [each.weight for each in regions if each.weight is not None]
    data = folder / "people.parquet"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        study.write_text(STUDY.format(path=data.name), encoding="utf-8")
    except OSError as error:
        raise FileRefused(f"'{folder}' cannot be written: {error.strerror}.") from None
    write_parquet(
        str(data),
        {
            "score": np.concatenate([each.score[0] for each in regions]).astype(float),
            "label": np.concatenate([each.label[0] for each in regions]).astype(int),
            "weight": np.concatenate([each[0] for each in weights]).astype(float),
            "region": np.repeat(list(TRUE_RATIOS), people),
        },
    )


@dataclass(frozen=True, slots=True)
class _BesideTruth(Tabular):
    """Estimates with the invented truth beside each."""

    spare: ClassVar = ("clipp*", "se_privacy", "se_sampling")

    found: Tabular

    def columns(self) -> dict[str, Sequence[Any]]:
        columns = dict(self.found.columns())
        region = {"region": columns.pop("region"), "truth": [*TRUE_RATIOS.values()]}
        return {**region, **columns}

    def shown(self) -> dict[str, list[str]]:
        kept = {"truth", *self.found.shown()}
        return {
            name: each for name, each in Tabular.shown(self).items() if name in kept
        }

    def precision(self) -> Mapping[str, Sequence[float]]:
        return self.found.precision()
