"""Every message of refusal, word by word: one golden file."""

from functools import cache

import list_messages
from list_messages import LISTED

messages = cache(list_messages.messages)


def test_messages_are_the_ones_that_were_read_and_agreed_to() -> None:
    """After a change: .venv/bin/python tools/guards/list_messages.py --write."""
    assert messages().splitlines() == LISTED.read_text(encoding="utf-8").splitlines()


def test_messages_start_and_end_like_messages() -> None:
    """No doubled spaces, no line breaks; what to do is a sentence."""
    lines = [line for line in messages().splitlines() if line and line[0] != "#"]
    assert len(lines) > 500
    assert not [line for line in lines if ".." in line.replace("…", "")]
    assert not [line for line in lines if " , " in line or line != line.strip()]
