"""Commands of who holds a release: no data, no budget."""
