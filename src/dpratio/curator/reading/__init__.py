"""What all engines share: what they are asked, and how a cell is read."""
