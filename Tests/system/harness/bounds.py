"""Time limits of waiting. A test that passes never waits so long; one that fails says what did not come."""

import os

SECONDS = float(os.environ.get("SEGUE_TEST_SECONDS", 20))


def rule(seconds):
    """A time limit of the specification, scaled by SECONDS for slower machines."""
    return seconds * SECONDS / 20
