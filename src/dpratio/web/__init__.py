"""A local page: plan a study, look at a release. No route leads to the curator."""
