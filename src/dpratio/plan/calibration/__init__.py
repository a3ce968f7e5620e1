"""How much noise a price needs, certified in exact arithmetic."""
