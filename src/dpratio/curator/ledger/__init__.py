"""What has been spent on a dataset: charged before a row is read, never lost."""
