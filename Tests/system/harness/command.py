"""Commands that a test runs."""

import subprocess

from .bounds import SECONDS


class Command:
    """A command that runs."""

    def __init__(self, arguments, environment):
        self.process = subprocess.Popen(
            arguments, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)

    def result(self, timeout=SECONDS):
        """(status, standard output, standard error)"""
        try:
            out, error = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, error = self.process.communicate()
            raise AssertionError(f"{self.process.args} did not end: {out} {error}") from None
        return self.process.returncode, out, error

    def succeeded(self, timeout=SECONDS):
        status, out, error = self.result(timeout)
        assert status == 0, error
        return out

    def failed(self, timeout=SECONDS):
        """Standard error of one that had to fail."""
        status, out, error = self.result(timeout)
        assert status == 1, f"status {status}: {out} {error}"
        return error
