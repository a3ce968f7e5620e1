"""The one grammar of charts: scales, marks, panels, and pictures as SVG."""
