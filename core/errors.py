"""The one kind of error that is worded for the person in front of the screen."""


class HeadlightError(Exception):
    """One sentence that says what happened and what to do; a page shows it as it is."""
