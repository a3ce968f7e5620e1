"""Two stages: what the second measures, and what a first one is worth."""
