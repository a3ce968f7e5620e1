"""The same path on invented people, who need no protection."""

from typing import TYPE_CHECKING

from dpratio.lazy_names import load_from

if TYPE_CHECKING:
    from dpratio.simulation.audit.audit_noise import audit_noise
    from dpratio.simulation.coverage.coverage import measure_coverage
    from dpratio.simulation.forecast.calibration_power import calibration_power
    from dpratio.simulation.forecast.guessed import guessed_population
    from dpratio.simulation.forecast.rehearse import rehearse
    from dpratio.simulation.population import PaperPopulation, People

__all__ = [
    "PaperPopulation",
    "People",
    "audit_noise",
    "calibration_power",
    "guessed_population",
    "measure_coverage",
    "rehearse",
]

__getattr__ = load_from(
    "simulation.",
    {
        "audit.audit_noise": "audit_noise",
        "coverage.coverage": "measure_coverage",
        "forecast.calibration_power": "calibration_power",
        "forecast.guessed": "guessed_population",
        "forecast.rehearse": "rehearse",
        "population": "PaperPopulation People",
    },
)
