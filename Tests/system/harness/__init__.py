"""What the system tests are written with: devices, applications and probes, each a real process or several."""
