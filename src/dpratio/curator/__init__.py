"""The only room that sees rows or entropy; its one door is `release_sums`."""
