from shown import released


def test_a_release_shows_itself_in_notebooks() -> None:
    shown = released(("<b>", "south"), people=50)._repr_html_()
    assert shown.startswith("<p>SIMULATED: the people in it are invented.")
    assert "<b>" not in shown
    assert "<table>" in shown
