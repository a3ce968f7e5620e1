"""What a plan will give, before any data."""
