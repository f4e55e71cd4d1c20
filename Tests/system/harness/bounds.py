"""How long anything is waited for. A test that passes never waits so long; one that fails says what did not come."""

import os

SECONDS = float(os.environ.get("SEGUE_TEST_SECONDS", 20))
