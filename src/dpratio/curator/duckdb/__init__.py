"""The embedded engine: one SQL statement over files, frames and relations."""
