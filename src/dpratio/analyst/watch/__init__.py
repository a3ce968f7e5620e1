"""A ratio over time: confidence sequences, alarms and changes."""
