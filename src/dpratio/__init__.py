"""Ratios of sums under differential privacy, with confidence intervals that cover.

    terms -> plan -> [ curator ] -> release -> analyst -> show

Only the curator sees rows. Everything before is a promise, everything after costs no
budget. Where to begin, by who you are:

Who plans a study (no data are read, nothing is spent)
    what is asked:        Ratio, Bounds, Groups, Keys, ScoreBins, Periods, PrivateKeys,
                          groups_from, PrivacyUnit, Budget; parse_study, Study
    what it will give:    make_plan, Plan, forecast, needed_people, needed_epsilon,
                          Guess, ColumnGuess; write_plan, read_plan

Who holds the data
    the one door to rows: release_sums; tables in CsvFile, DatabaseTable
    what may be spent:    Ledger, Scope, verify_ledger, backup_ledger
    the only way out:     Release, write_release

Who has a release (no data, no budget, as often as you like)
    a release:            read_release, roll_up, merge, wrap_sums, example_release
    answers:              estimate_ratios, compare_ratios, assess_homogeneity,
                          assess_equivalence, calibration_curve, write_report
    functions of sums:    estimate_function with mean_of, total_of, variance_of,
                          correlation_of, slope_of, difference_of_means, lift_of_means,
                          ratio_of_ratios or a FunctionOfSums of your own
    results:              Estimates, Comparison, Homogeneity, Equivalence, Curve,
                          CalibrationErrors, FunctionEstimates: tables that print, and
                          give to_pandas, to_polars, to_arrow, to_dicts and chart

Who wants to see how well intervals do, on invented people
    measure_coverage, CoverageTable, Forecast, PaperPopulation, guessed_population,
    People; audit_noise, Audit: whether noise is as large as it claims

Whoever meets an error
    DpratioError and, below it: InvalidInput, SchemaRefused, FileRefused,
    DocumentRefused, PlanRefused, EngineFailed, MissingExtra, LedgerRefused,
    LedgerFailed, AuditFailed

Example:
    >>> import dpratio as dpr
    >>> release = dpr.example_release()  # of invented people; comes with dpratio
    >>> print(dpr.compare_ratios(release, "west", "north").summary())
    west is 19.8 % above north, 95 % interval 14.5 % to 25.3 %; p = 2.4e-12

`help(dpratio.make_plan)` says more about one name. Names are loaded when they are first
used, so that importing dpratio is quick and an analyst needs no engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from dpratio.version import __version__

if TYPE_CHECKING:
    from dpratio.analyst.comparison.compare import compare_ratios
    from dpratio.analyst.comparison.comparison import Comparison
    from dpratio.analyst.comparison.equivalence import Equivalence, assess_equivalence
    from dpratio.analyst.comparison.homogeneity import Homogeneity, assess_homogeneity
    from dpratio.analyst.curve.curve import calibration_curve
    from dpratio.analyst.curve.curve_results import CalibrationErrors, Curve
    from dpratio.analyst.function.estimate_function import estimate_function
    from dpratio.analyst.function.function_of_sums import FunctionOfSums
    from dpratio.analyst.function.function_results import FunctionEstimates
    from dpratio.analyst.function.functions import (
        correlation_of,
        difference_of_means,
        lift_of_means,
        mean_of,
        ratio_of_ratios,
        slope_of,
        total_of,
        variance_of,
    )
    from dpratio.analyst.ratio.estimate import estimate_ratios
    from dpratio.analyst.tables.estimates import Estimates
    from dpratio.curator.ledger.account.scope import Scope
    from dpratio.curator.ledger.backup import backup_ledger
    from dpratio.curator.ledger.ledger import Ledger
    from dpratio.curator.ledger.verify import verify_ledger
    from dpratio.curator.release_sums import release_sums
    from dpratio.errors import (
        AuditFailed,
        DocumentRefused,
        DpratioError,
        EngineFailed,
        FileRefused,
        InvalidInput,
        LedgerFailed,
        LedgerRefused,
        MissingExtra,
        PlanRefused,
        SchemaRefused,
    )
    from dpratio.plan.make_plan import make_plan
    from dpratio.plan.plan import Plan
    from dpratio.release.combine import merge, roll_up
    from dpratio.release.example import example_release
    from dpratio.release.external import wrap_sums
    from dpratio.release.files import read_release, write_release
    from dpratio.release.plan_file import read_plan, write_plan
    from dpratio.release.release import Release
    from dpratio.show.report import write_report
    from dpratio.simulation.audit.audit_noise import audit_noise
    from dpratio.simulation.audit.findings import Audit
    from dpratio.simulation.coverage.coverage import CoverageTable, measure_coverage
    from dpratio.simulation.forecast.forecast import forecast
    from dpratio.simulation.forecast.forecast_row import Forecast
    from dpratio.simulation.forecast.guessed import guessed_population
    from dpratio.simulation.forecast.needed import needed_epsilon, needed_people
    from dpratio.simulation.population import PaperPopulation, People
    from dpratio.terms.bounds import Bounds
    from dpratio.terms.budget import Budget
    from dpratio.terms.database import DatabaseTable
    from dpratio.terms.dimensions import Keys, Periods, ScoreBins
    from dpratio.terms.groups import Groups, PrivateKeys
    from dpratio.terms.guess import ColumnGuess, Guess
    from dpratio.terms.key_table import groups_from
    from dpratio.terms.question import Ratio
    from dpratio.terms.source import CsvFile
    from dpratio.terms.study_file import Study, parse_study
    from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "Audit",
    "AuditFailed",
    "Bounds",
    "Budget",
    "CalibrationErrors",
    "ColumnGuess",
    "Comparison",
    "CoverageTable",
    "CsvFile",
    "Curve",
    "DatabaseTable",
    "DocumentRefused",
    "DpratioError",
    "EngineFailed",
    "Equivalence",
    "Estimates",
    "FileRefused",
    "Forecast",
    "FunctionEstimates",
    "FunctionOfSums",
    "Groups",
    "Guess",
    "Homogeneity",
    "InvalidInput",
    "Keys",
    "Ledger",
    "LedgerFailed",
    "LedgerRefused",
    "MissingExtra",
    "PaperPopulation",
    "People",
    "Periods",
    "Plan",
    "PlanRefused",
    "PrivacyUnit",
    "PrivateKeys",
    "Ratio",
    "Release",
    "SchemaRefused",
    "Scope",
    "ScoreBins",
    "Study",
    "__version__",
    "assess_equivalence",
    "assess_homogeneity",
    "audit_noise",
    "backup_ledger",
    "calibration_curve",
    "compare_ratios",
    "correlation_of",
    "difference_of_means",
    "estimate_function",
    "estimate_ratios",
    "example_release",
    "forecast",
    "groups_from",
    "guessed_population",
    "lift_of_means",
    "make_plan",
    "mean_of",
    "measure_coverage",
    "merge",
    "needed_epsilon",
    "needed_people",
    "parse_study",
    "ratio_of_ratios",
    "read_plan",
    "read_release",
    "release_sums",
    "roll_up",
    "slope_of",
    "total_of",
    "variance_of",
    "verify_ledger",
    "wrap_sums",
    "write_plan",
    "write_release",
    "write_report",
]

_HOMES = {
    "errors": (
        "AuditFailed DocumentRefused DpratioError EngineFailed FileRefused "
        "InvalidInput LedgerFailed LedgerRefused MissingExtra PlanRefused SchemaRefused"
    ),
    "terms.bounds": "Bounds",
    "terms.budget": "Budget",
    "terms.database": "DatabaseTable",
    "terms.guess": "ColumnGuess Guess",
    "terms.dimensions": "Keys Periods ScoreBins",
    "terms.groups": "Groups PrivateKeys",
    "terms.key_table": "groups_from",
    "terms.question": "Ratio",
    "terms.source": "CsvFile",
    "terms.study_file": "Study parse_study",
    "terms.unit": "PrivacyUnit",
    "plan.plan": "Plan",
    "plan.make_plan": "make_plan",
    "release.release": "Release",
    "release.combine": "merge roll_up",
    "release.example": "example_release",
    "release.external": "wrap_sums",
    "release.files": "read_release write_release",
    "release.plan_file": "read_plan write_plan",
    "curator.ledger.ledger": "Ledger",
    "curator.ledger.account.scope": "Scope",
    "curator.ledger.backup": "backup_ledger",
    "curator.ledger.verify": "verify_ledger",
    "curator.release_sums": "release_sums",
    "analyst.tables.estimates": "Estimates",
    "analyst.ratio.estimate": "estimate_ratios",
    "analyst.function.estimate_function": "estimate_function",
    "analyst.function.function_of_sums": "FunctionOfSums",
    "analyst.function.function_results": "FunctionEstimates",
    "analyst.function.functions": (
        "correlation_of difference_of_means lift_of_means mean_of ratio_of_ratios "
        "slope_of total_of variance_of"
    ),
    "analyst.curve.curve": "calibration_curve",
    "analyst.curve.curve_results": "CalibrationErrors Curve",
    "analyst.comparison.compare": "compare_ratios",
    "analyst.comparison.comparison": "Comparison",
    "analyst.comparison.equivalence": "Equivalence assess_equivalence",
    "analyst.comparison.homogeneity": "Homogeneity assess_homogeneity",
    "show.report": "write_report",
    "simulation.audit.audit_noise": "audit_noise",
    "simulation.audit.findings": "Audit",
    "simulation.coverage.coverage": "CoverageTable measure_coverage",
    "simulation.forecast.forecast": "forecast",
    "simulation.forecast.guessed": "guessed_population",
    "simulation.forecast.needed": "needed_epsilon needed_people",
    "simulation.forecast.forecast_row": "Forecast",
    "simulation.population": "PaperPopulation People",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'dpratio' has no attribute '{name}'")
    return getattr(import_module(f"dpratio.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
