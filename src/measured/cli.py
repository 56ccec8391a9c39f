"""The engine's command line: first the question whether there is anything to do, then what does it.

Most builds find that nothing has changed since the last one. Whoever asks that imports nothing but what
compares (`measured.unchanged`): all the rest takes longer to import than to be compared.
"""

from __future__ import annotations

import sys

from measured import unchanged


def main() -> None:
    """Run the command line; what a person can mend is told once and exits with 1."""
    if not unchanged.is_told(sys.argv[1:]):
        from measured import commands

        commands.main()


if __name__ == "__main__":
    main()
