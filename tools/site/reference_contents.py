"""Which public name stands on which page of the reference, in the order of reading."""

from dataclasses import dataclass

__all__ = ["PAGES", "ReferencePage"]


@dataclass(frozen=True, slots=True)
class ReferencePage:
    """A page of the reference: its title, what it is about, its names, their room."""

    title: str
    words: str
    names: tuple[str, ...]
    room: str


def _page(title: str, words: str, names: str, room: str = "") -> ReferencePage:
    return ReferencePage(title, " ".join(words.split()), tuple(names.split()), room)


PAGES = {
    "terms": _page(
        "Terms",
        """Promises made before anyone sees data. They are values: checked when they are
        made, and never changed.""",
        """Ratio Bounds Budget PrivacyUnit Groups Keys ScoreBins Periods PrivateKeys
        CsvFile ParquetFiles DatabaseTable MeanSd Population Question Study
        read_study parse_study""",
    ),
    "plan": _page(
        "Plan and forecast",
        """From terms to what will be measured, at what noise and price. No data are
        read, and nothing is spent.""",
        """make_plan Plan plan_sql write_plan read_plan forecast needed_people
        needed_epsilon""",
    ),
    "release": _page(
        "Release and ledger",
        """`release_sums` is the only function that reads rows. Everything before it is
        a promise, everything after it post-processing.""",
        """release_sums Release write_release read_release roll_up merge wrap_sums
        example_release Ledger Scope""",
    ),
    "answers": _page(
        "Answers",
        """Everything here is computed from a release: no data, no budget, as often as
        you like. All results are [tables](results.md#Tabular).""",
        """estimate_ratios compare_ratios assess_homogeneity assess_equivalence
        calibration_curve estimate_function watch write_report""",
    ),
    "bounds": _page(
        "Bounds that are found",
        """Histograms on a public grid, released through the same door
        as any sums, and the bounds that they propose; on a finer grid, bins at
        quantiles. All in `dpratio.bounds`.""",
        """plan_bounds propose_bounds choose_bounds propose_groups
        count_beyond plan_bins propose_bins Proposals BoundChoices
        GroupChoices BinProposal""",
        "bounds",
    ),
    "functions": _page(
        "Functions",
        """Ready functions for `estimate_function`, in `dpratio.functions`.""",
        """mean total difference_of_means lift relative_risk odds_ratio ratio_of_ratios
        variance correlation slope calibration_intercept brier_score FunctionOfSums""",
        "functions",
    ),
    "results": _page(
        "Results",
        """What answers are, in `dpratio.results`: [tables](#Tabular), all of them, and
        the charts that are drawn of them.""",
        """Estimates Comparison Homogeneity Equivalence Curve CalibrationErrors
        FunctionEstimates Watch WatchedArms Forecast CoverageTable Audit Chart
        draw_intervals""",
        "results",
    ),
    "simulation": _page(
        "Simulations",
        """Invented people, in `dpratio.simulation`, for those who want to see how well
        intervals do, or whether noise is as large as it claims.""",
        """measure_coverage rehearse calibration_power
        guessed_population PaperPopulation People audit_noise""",
        "simulation",
    ),
    "ledgers": _page(
        "Copies and moves of ledgers",
        """What happens to a ledger beside releases, in `dpratio.ledgers`.""",
        """verify_ledger backup_ledger recover_ledger""",
        "ledgers",
    ),
    "errors": _page(
        "Errors",
        """Every error that is raised on purpose, in `dpratio.errors`. A message says
        the rule, what was given and what to do; the curator's never depend on a value
        in the data.""",
        """DpratioError InvalidInput SchemaRefused FileRefused DocumentRefused
        PlanRefused EngineFailed MissingExtra LedgerRefused LedgerFailed GivenAgain
        AuditFailed""",
        "errors",
    ),
}
