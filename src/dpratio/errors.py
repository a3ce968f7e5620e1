"""Every error dpratio raises on purpose.

::

    DpratioError
    ├── InvalidInput      a term, an option or an argument breaks a rule      exit 3
    ├── SchemaRefused     a column is missing or of the wrong type            exit 4
    ├── FileRefused       a file cannot be read or written                    exit 5
    ├── DocumentRefused   a study or release document breaks its format       exit 6
    ├── PlanRefused       the curator's door does not accept the plan         exit 7
    ├── EngineFailed      the engine stopped while it read the table          exit 8
    ├── MissingExtra      an optional package is missing or does not load      exit 9
    ├── LedgerRefused     the ledger does not admit what is asked             exit 10
    ├── LedgerFailed      the ledger cannot be read, written or trusted       exit 11
    └── AuditFailed       releases show more than they claim                  exit 12

A message says the rule, what was given and what to do. Errors of the curator
depend on terms and schema alone, never on a value in the data.

`GivenAgain` is no error but a warning, with what a request would cost that was not
charged.
"""

from typing import ClassVar

__all__ = [
    "AuditFailed",
    "DocumentRefused",
    "DpratioError",
    "EngineFailed",
    "FileRefused",
    "GivenAgain",
    "InvalidInput",
    "LedgerFailed",
    "LedgerRefused",
    "MissingExtra",
    "PlanRefused",
    "SchemaRefused",
]


class DpratioError(Exception):
    """The root of every error dpratio raises on purpose.

    ``exit_code`` is the code with which the command line ends. ``field`` names the term
    or argument that broke a rule, or in a document its path; None where none did.

    Example:
        >>> import dpratio as dpr
        >>> try:
        ...     dpr.Bounds(1, 0)
        ... except dpr.errors.DpratioError as error:
        ...     print(f"{type(error).__name__}, exit {error.exit_code}: {error}")
        InvalidInput, exit 3: bounds must be two finite numbers, ... got (1, 0).
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str = "", *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class InvalidInput(DpratioError, ValueError):
    """A term, an option or an argument breaks a rule."""

    exit_code = 3


class SchemaRefused(DpratioError):
    """A column is missing from the table, or its type is not the declared one."""

    exit_code = 4


class FileRefused(DpratioError):
    """A file cannot be read or written."""

    exit_code = 5


class DocumentRefused(DpratioError):
    """A study or release document breaks its format; the message holds the path."""

    exit_code = 6


class PlanRefused(DpratioError):
    """The curator's door does not accept the plan."""

    exit_code = 7


class EngineFailed(DpratioError):
    """The engine stopped while it read the table; its own words are not shown."""

    exit_code = 8


class MissingExtra(DpratioError, ImportError):
    """An optional package is needed and not installed, or does not load."""

    exit_code = 9


class LedgerRefused(DpratioError):
    """The ledger does not admit what is asked: a cap, a scope, an id, an approval."""

    exit_code = 10


class LedgerFailed(DpratioError):
    """The ledger cannot be read, written or trusted."""

    exit_code = 11


class AuditFailed(DpratioError):
    """Releases show more than they claim, or their noise is not what it should be."""

    exit_code = 12


class GivenAgain(UserWarning):
    """A release that was sealed before is given again; the data were not looked at."""
