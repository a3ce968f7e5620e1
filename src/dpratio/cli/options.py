"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

StudyFile = Annotated[
    Path, typer.Argument(metavar="STUDY", help="The study, a TOML file.")
]
ReleaseFile = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="A release, JSON.")
]
ReleaseOut = Annotated[
    Path,
    typer.Option("--out", "-o", help="Release file to write, .json."),
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace an existing release file.")
]
NewDraw = Annotated[
    bool,
    typer.Option(
        "--new-draw",
        help="Draw noise again, and pay for it, where the same was released.",
    ),
]
Period = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What {period} in the path of the study's data stands for, as 2026-W46.",
    ),
]
PlanFile = Annotated[
    Path, typer.Argument(metavar="STUDY", help="A study (TOML) or a plan (JSON).")
]
Data = Annotated[
    str | None,
    typer.Option(
        help="Instead of the study's data: a file, or the address of a database."
    ),
]
Table = Annotated[
    str | None, typer.Option(help="With an address in --data, the table.")
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        help="With --data, a condition of rows, as 'day >= 2026-11-09'; repeatable."
    ),
]
Spool = Annotated[
    Path | None,
    typer.Option(
        envvar="DPRATIO_SPOOL",
        help="Your own folder for what waits while the ledger cannot be reached.",
    ),
]

LEDGER = "dpratio.db"
Location = Annotated[
    str,
    typer.Option(
        "--ledger",
        envvar="DPRATIO_LEDGER",
        show_envvar=True,
        help="The ledger: a SQLite file, or postgresql://host/database.",
    ),
]
Anchor = Annotated[
    Path | None,
    typer.Option(
        envvar="DPRATIO_ANCHOR",
        show_envvar=True,
        help="A file elsewhere that keeps the heads of the ledger.",
    ),
]
Scope = Annotated[
    str | None,
    typer.Option(help="The dataset's scope; needed where there are several."),
]
By = Annotated[str, typer.Option(help="Who asks, for the history.")]
NoLedger = Annotated[
    bool, typer.Option("--no-ledger", help="Release without keeping account.")
]

Level = Annotated[float, typer.Option(help="Confidence level.")]
Method = Annotated[
    str, typer.Option(help="pivot, analytical, monte_carlo or no_correction.")
]
Variance = Annotated[
    str | None, typer.Option(help="linearised or kish; by default as planned.")
]

Format = Annotated[
    str,
    typer.Option("--format", help="table, csv, json or markdown.", metavar="FORMAT"),
]
Wide = Annotated[
    bool, typer.Option("--wide", help="Show all columns, beyond 80 characters.")
]
JsonFile = Annotated[
    Path | None, typer.Option("--json", help="Write the rows to a file, as JSON.")
]
CsvFile = Annotated[
    Path | None, typer.Option("--csv", help="Write the rows to a file, as CSV.")
]
ChartFile = Annotated[
    Path | None, typer.Option("--chart", help="Draw to .svg or .html.")
]
Replace = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]
WhichQuestion = Annotated[
    str | None,
    typer.Option(
        "--question", help="Which of several questions: its name or its number from 1."
    ),
]
