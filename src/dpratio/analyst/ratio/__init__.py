"""The one statistic, its tail, and the intervals of ratios that it gives."""
