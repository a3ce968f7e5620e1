"""The engine that runs where the data are: Ibis over databases and clusters."""
