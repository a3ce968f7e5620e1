"""Post-processing only: from a release to answers, without data or budget."""
