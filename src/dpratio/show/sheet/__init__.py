"""The sheet that an officer reads, prints and signs before anything runs."""
