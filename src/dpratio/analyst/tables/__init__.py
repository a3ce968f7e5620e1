"""What answers share as tables: labels, digits, statuses, provenance."""
