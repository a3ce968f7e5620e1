"""Any smooth function of the sums: means, variances, lifts."""
