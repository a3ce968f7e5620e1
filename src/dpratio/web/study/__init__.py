"""The study file that the planner stands for: written, opened, and what is kept."""
