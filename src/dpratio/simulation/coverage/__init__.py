"""How well intervals cover, on any people, and how close they come to the limit."""
