"""Commands for anyone: invented people, forecasts, simulations, the page."""
