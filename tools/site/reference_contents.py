"""Which public name stands on which page of the reference, in the order of reading."""

from dataclasses import dataclass

__all__ = ["PAGES", "ReferencePage"]


@dataclass(frozen=True, slots=True)
class ReferencePage:
    """A page of the reference: its title, what it is about, and its names."""

    title: str
    words: str
    names: tuple[str, ...]


def _page(title: str, words: str, names: str) -> ReferencePage:
    return ReferencePage(title, " ".join(words.split()), tuple(names.split()))


PAGES = {
    "terms": _page(
        "Terms",
        """Promises made before anyone sees data. They are values: checked when they are
        made, and never changed.""",
        """Ratio Bounds Budget PrivacyUnit Groups Keys ScoreBins Periods PrivateKeys
        groups_from CsvFile DatabaseTable Guess ColumnGuess Study parse_study""",
    ),
    "plan": _page(
        "Plan and forecast",
        """From terms to what will be measured, at what noise and price. No data are
        read, and nothing is spent.""",
        """make_plan Plan write_plan read_plan forecast Forecast needed_people
        needed_epsilon""",
    ),
    "release": _page(
        "Release and ledger",
        """`release_sums` is the only function that reads rows. Everything before it is
        a promise, everything after it post-processing.""",
        """release_sums Release write_release read_release roll_up merge wrap_sums
        example_release Ledger Scope verify_ledger backup_ledger""",
    ),
    "answers": _page(
        "Answers",
        """Everything here is computed from a release: no data, no budget, as often as
        you like. All results are [tables](#Tabular).""",
        """estimate_ratios Estimates compare_ratios Comparison assess_homogeneity
        Homogeneity assess_equivalence Equivalence calibration_curve Curve
        CalibrationErrors estimate_function FunctionEstimates FunctionOfSums mean_of
        total_of difference_of_means lift_of_means ratio_of_ratios variance_of
        correlation_of slope_of""",
    ),
    "study": _page(
        "Reports and simulations",
        """One HTML file for readers, and invented people for those who want to see how
        well intervals do, or whether noise is as large as it claims.""",
        """write_report measure_coverage CoverageTable guessed_population
        PaperPopulation People audit_noise Audit""",
    ),
    "errors": _page(
        "Errors",
        """Every error that is raised on purpose. A message says the rule, what was
        given and what to do; the curator's never depend on a value in the data.""",
        """DpratioError InvalidInput SchemaRefused FileRefused DocumentRefused
        PlanRefused EngineFailed MissingExtra LedgerRefused LedgerFailed
        AuditFailed""",
    ),
}
