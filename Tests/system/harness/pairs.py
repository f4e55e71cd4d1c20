"""Fixtures of two paired devices of a test's own. A test file names the one that it uses, in place of the shared two."""

import pytest

from .device import pair


@pytest.fixture
def devices(new_device):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    return desk, lap


@pytest.fixture
def quiet_devices(new_device):
    """The second one shows no offers: what is sent there is the first that it shows."""
    desk, lap = new_device("desk"), new_device("lap", settings=["[Notifications]", "Offers=false"])
    pair(desk, lap)
    return desk, lap
