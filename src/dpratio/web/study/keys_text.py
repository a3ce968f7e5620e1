"""From the keys that were typed to keys as a study file writes them."""

import json
import re

__all__ = ["quote", "write_keys"]

# One key: in quotes, or whatever stands between commas and ends of lines.
_KEY = re.compile(r'[ \t]*(?:"([^"\r\n]*)"|([^,\r\n]*?))[ \t]*(?:[,\r\n]|\Z)')
_WHOLE = re.compile("0|-?[1-9][0-9]{0,17}")


def write_keys(typed: str) -> list[str]:
    """Write keys, separated by commas or lines, as TOML does.

    Keys are numbers where all of them are whole numbers without quotes; else text.

    Example:
        >>> write_keys("north, south"), write_keys("1, 2"), write_keys('"1", 2')
        (['"north"', '"south"'], ['1', '2'], ['"1"', '"2"'])
    """
    found = [match.groups() for match in _KEY.finditer(typed) if any(match.groups())]
    keys = [quoted if quoted is not None else bare for quoted, bare in found]
    is_whole = all(bare is not None and _WHOLE.fullmatch(bare) for _, bare in found)
    return keys if is_whole else [quote(key) for key in keys]


def quote(text: str) -> str:
    """Write text as TOML does: as JSON, and without a bare DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
