"""A mapping in two layers behaves as the dictionary it stands for."""

import pytest

from dpratio.curator.ledger.account.account import _LONGEST_TOP, Layers


def test_changes_lie_on_top_and_order_is_that_of_the_first_time() -> None:
    before = Layers({"a": 1, "b": 2})
    after = before.changed({"c": 3, "a": 9})
    assert dict(before) == {"a": 1, "b": 2}
    assert list(after.items()) == [("a", 9), ("b", 2), ("c", 3)]
    assert (len(after), "c" in after, "d" in after) == (3, True, False)
    assert after == {"a": 9, "b": 2, "c": 3} == dict(after)
    assert after != before
    assert repr(after) == "Layers({'a': 9, 'b': 2, 'c': 3})"
    with pytest.raises(KeyError):
        after["d"]


def test_many_changes_one_by_one_are_the_same_as_all_at_once() -> None:
    layers, plain = Layers(dict[str, int]()), dict[str, int]()
    for number in range(3 * _LONGEST_TOP):
        name = str(number % (2 * _LONGEST_TOP))
        layers, plain = layers.changed({name: number}), {**plain, name: number}
    assert list(layers.items()) == list(plain.items())
    assert layers == Layers(dict[str, int]()).changed(plain)
