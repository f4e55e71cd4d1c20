"""How long anything is waited for. A test that passes never waits so long; one that fails says what did not come."""

import os

SECONDS = float(os.environ.get("SEGUE_TEST_SECONDS", 20))


def rule(seconds):
    """A bound that the specification sets; on a machine for which SECONDS is longer it is longer too."""
    return seconds * SECONDS / 20
