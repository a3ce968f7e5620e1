"""What bounds cut: how many people, and ratios as they would be without."""
