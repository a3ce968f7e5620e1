"""Reference figures by statsmodels, for test_references.py.

Run: python figures_statsmodels.py > figures_statsmodels.csv   (statsmodels 0.15.0)
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels.api as sm  # type: ignore[import-not-found]

data = pd.read_csv(Path(__file__).with_name("anes96.csv"))
pid, vote = data["pid"].to_numpy(float), data["vote"].to_numpy(float)
one = np.ones_like(pid)


def say(name: str, estimate: float, error: float) -> None:
    """Print a figure and its standard error."""
    sys.stdout.write(f"{name},{estimate:.12g},{error:.12g}\n")


sys.stdout.write("name,estimate,se\n")
line = sm.OLS(vote, np.column_stack([one, pid])).fit(cov_type="HC0")
say("plain_slope", line.params[1], line.bse[1])
for label, values in (
    ("mean_pid", pid),
    ("mean_vote", vote),
    ("variance_pid", (pid - pid.mean()) ** 2),
):
    mean = sm.OLS(values, one).fit(cov_type="HC0")
    say(f"plain_{label}", mean.params[0], mean.bse[0])
weights = sm.stats.DescrStatsW(
    np.column_stack([pid, vote]), weights=data["educ"].to_numpy(float)
)
say("weighted_mean_pid", weights.mean[0], float("nan"))
say("weighted_variance_pid", weights.var[0], float("nan"))
say("weighted_correlation", weights.corrcoef[0, 1], float("nan"))
