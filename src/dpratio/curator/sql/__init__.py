"""One description of what is added up, written as SQL for three databases."""
