"""What answers are: tables that print, draw, and turn into any frame."""

from dpratio.analyst.comparison.comparison import Comparison
from dpratio.analyst.comparison.equivalence import Equivalence
from dpratio.analyst.comparison.homogeneity import Homogeneity
from dpratio.analyst.curve.curve_results import CalibrationErrors, Curve
from dpratio.analyst.function.function_results import FunctionEstimates
from dpratio.analyst.tables.estimates import Estimates
from dpratio.analyst.watch.arms import WatchedArms
from dpratio.analyst.watch.watch_results import Watch
from dpratio.show.chart.picture import Chart
from dpratio.show.forest_chart import draw_intervals
from dpratio.simulation.audit.findings import Audit
from dpratio.simulation.coverage.coverage import CoverageTable
from dpratio.simulation.forecast.forecast_row import Forecast

__all__ = [
    "Audit",
    "CalibrationErrors",
    "Chart",
    "Comparison",
    "CoverageTable",
    "Curve",
    "Equivalence",
    "Estimates",
    "Forecast",
    "FunctionEstimates",
    "Homogeneity",
    "Watch",
    "WatchedArms",
    "draw_intervals",
]
