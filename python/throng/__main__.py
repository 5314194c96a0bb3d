"""The command line: ``throng`` and ``python -m throng``."""

import signal
import sys

from throng import _native


def main() -> None:
    """Run the ``throng`` command with the arguments of this process."""
    # Rust does the work: let Ctrl-C end it, as it ends any other command.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.command(["throng", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
