"""What a release measures after it has looked for bounds."""
