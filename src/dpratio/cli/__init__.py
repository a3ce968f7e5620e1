"""Commands, in families by who may run them."""
