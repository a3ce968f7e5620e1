"""A charge that goes on, as the attacks have it: here every branch of it counts."""

from attacks.test_going_on import (
    place,
    test_31_a_damaged_line_may_have_opened_any_release,
    test_31_a_restored_copy_draws_nothing_again,
    test_31_a_secret_that_another_took_is_not_taken_again,
    test_31_an_answer_that_was_lost_is_gone_on_with_once,
    test_38_a_charge_goes_on_only_while_its_approval_admits_it,
)

__all__ = [
    "place",
    "test_31_a_damaged_line_may_have_opened_any_release",
    "test_31_a_restored_copy_draws_nothing_again",
    "test_31_a_secret_that_another_took_is_not_taken_again",
    "test_31_an_answer_that_was_lost_is_gone_on_with_once",
    "test_38_a_charge_goes_on_only_while_its_approval_admits_it",
]
