"""Ratios of sums under differential privacy, with confidence intervals that cover.

    terms -> plan -> [ curator ] -> release -> analyst -> show

Only the curator sees rows. Everything before is a promise, everything after costs no
budget. Where to begin, by who you are:

Who plans a study (no data are read, nothing is spent)
    what is asked:        Study and Question; Ratio, Bounds, Groups, Keys, ScoreBins,
                          Periods, PrivateKeys, PrivacyUnit, Budget;
                          read_study, parse_study
    what it will give:    make_plan, Plan, forecast, needed_people, needed_epsilon,
                          Population, MeanSd; write_plan, read_plan
    what will run:        plan_sql

Who holds the data
    the one door to rows: release_sums; tables in CsvFile, ParquetFiles, DatabaseTable
    what may be spent:    Ledger, Scope
    the only way out:     Release, write_release

Who has a release (no data, no budget, as often as you like)
    a release:            read_release, roll_up, merge, wrap_sums, example_release
    answers:              estimate_ratios, compare_ratios, assess_homogeneity,
                          assess_equivalence, calibration_curve, estimate_function,
                          watch, write_report

And, in rooms of their own
    dpratio.bounds        plan_bounds, propose_bounds: bounds found privately
    dpratio.functions     mean, total, lift, odds_ratio, variance, slope, …
    dpratio.results       what answers are: tables that print, and give to_pandas,
                          to_polars, to_arrow, to_dicts and chart
    dpratio.simulation    how well intervals do on invented people; whether noise is
                          as large as it claims
    dpratio.ledgers       a ledger that is verified, backed up or recovered
    dpratio.errors        every error that is raised on purpose

Example:
    >>> import dpratio as dpr
    >>> release = dpr.example_release()  # of invented people; comes with dpratio
    >>> print(dpr.compare_ratios(release, "west", "north").summary())
    west is 20.7 % above north, 95 % interval 16.0 % to 25.7 %; p < 0.0001

`help(dpratio.make_plan)` says more about one name. Names are loaded when they are first
used, so that importing dpratio is quick and an analyst needs no engine.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from dpratio.drawing import draw_with
from dpratio.lazy_names import load_from
from dpratio.version import __version__

if TYPE_CHECKING:
    from dpratio import bounds as bounds
    from dpratio import errors as errors
    from dpratio import functions as functions
    from dpratio import ledgers as ledgers
    from dpratio import results as results
    from dpratio import simulation as simulation
    from dpratio.analyst.comparison.compare import compare_ratios
    from dpratio.analyst.comparison.equivalence import assess_equivalence
    from dpratio.analyst.comparison.homogeneity import assess_homogeneity
    from dpratio.analyst.curve.curve import calibration_curve
    from dpratio.analyst.function.estimate_function import estimate_function
    from dpratio.analyst.ratio.estimate import estimate_ratios
    from dpratio.analyst.watch.watch import watch
    from dpratio.curator.ledger.account.scope import Scope
    from dpratio.curator.ledger.ledger import Ledger
    from dpratio.curator.release_sums import release_sums
    from dpratio.curator.sql.show import plan_sql
    from dpratio.plan.make_plan import make_plan
    from dpratio.plan.plan import Plan
    from dpratio.release.combine import merge, roll_up
    from dpratio.release.files import (
        example_release,
        read_plan,
        read_release,
        write_plan,
        write_release,
    )
    from dpratio.release.release import Release
    from dpratio.release.wrap import wrap_sums
    from dpratio.show.report import write_report
    from dpratio.simulation.forecast.forecast import forecast
    from dpratio.simulation.forecast.needed import needed_epsilon, needed_people
    from dpratio.terms.bounds import Bounds
    from dpratio.terms.budget import Budget
    from dpratio.terms.groups import (
        Groups,
        Keys,
        Periods,
        PrivateKeys,
        ScoreBins,
    )
    from dpratio.terms.population import MeanSd, Population
    from dpratio.terms.question import Question
    from dpratio.terms.ratio import Ratio
    from dpratio.terms.source import CsvFile, DatabaseTable, ParquetFiles
    from dpratio.terms.study import Study
    from dpratio.terms.study_file import parse_study, read_study
    from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "Bounds",
    "Budget",
    "CsvFile",
    "DatabaseTable",
    "Groups",
    "Keys",
    "Ledger",
    "MeanSd",
    "ParquetFiles",
    "Periods",
    "Plan",
    "Population",
    "PrivacyUnit",
    "PrivateKeys",
    "Question",
    "Ratio",
    "Release",
    "Scope",
    "ScoreBins",
    "Study",
    "__version__",
    "assess_equivalence",
    "assess_homogeneity",
    "calibration_curve",
    "compare_ratios",
    "estimate_function",
    "estimate_ratios",
    "example_release",
    "forecast",
    "make_plan",
    "merge",
    "needed_epsilon",
    "needed_people",
    "parse_study",
    "plan_sql",
    "read_plan",
    "read_release",
    "read_study",
    "release_sums",
    "roll_up",
    "watch",
    "wrap_sums",
    "write_plan",
    "write_release",
    "write_report",
]

_ROOMS = ("bounds", "errors", "functions", "ledgers", "results", "simulation")
_HOMES = {
    "analyst.comparison.compare": "compare_ratios",
    "analyst.comparison.equivalence": "assess_equivalence",
    "analyst.comparison.homogeneity": "assess_homogeneity",
    "analyst.curve.curve": "calibration_curve",
    "analyst.function.estimate_function": "estimate_function",
    "analyst.ratio.estimate": "estimate_ratios",
    "analyst.watch.watch": "watch",
    "curator.ledger.account.scope": "Scope",
    "curator.ledger.ledger": "Ledger",
    "curator.release_sums": "release_sums",
    "curator.sql.show": "plan_sql",
    "plan.make_plan": "make_plan",
    "plan.plan": "Plan",
    "release.combine": "merge roll_up",
    "release.wrap": "wrap_sums",
    "release.files": "example_release read_plan read_release write_plan write_release",
    "release.release": "Release",
    "show.report": "write_report",
    "simulation.forecast.forecast": "forecast",
    "simulation.forecast.needed": "needed_epsilon needed_people",
    "terms.bounds": "Bounds",
    "terms.budget": "Budget",
    "terms.groups": "Groups Keys Periods PrivateKeys ScoreBins",
    "terms.population": "MeanSd Population",
    "terms.question": "Question",
    "terms.ratio": "Ratio",
    "terms.source": "CsvFile DatabaseTable ParquetFiles",
    "terms.study": "Study",
    "terms.study_file": "parse_study read_study",
    "terms.unit": "PrivacyUnit",
}

__getattr__ = load_from("", _HOMES | dict.fromkeys(_ROOMS, ""))


def __dir__() -> list[str]:
    return __all__


def _load_charts() -> Callable[..., object]:
    from dpratio.show.charts import chart_of

    return chart_of


draw_with(_load_charts)
