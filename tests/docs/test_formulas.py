"""Formulas in TeX become MathML while the site is built."""

import pytest
from formulas import typeset


def test_a_formula_in_a_line_becomes_mathml() -> None:
    page = '<p>is <span class="arithmatex">\\(x_j ≤ −\\frac{1}{2}\\)</span>.</p>'
    drawn = typeset(page)
    assert drawn.startswith("<p>is <math ")
    assert drawn.endswith("</math>.</p>")
    assert 'display="inline"' in drawn
    assert "<msub><mi>x</mi><mi>j</mi></msub><mo>&#x02264;</mo>" in drawn
    assert "<mfrac>" in drawn


def test_a_formula_of_its_own_can_be_scrolled_without_a_mouse() -> None:
    drawn = typeset('<div class="arithmatex">\\[\na &lt; b\n\\]</div>')
    assert drawn.startswith('<div class="formula" tabindex="0"><math')
    assert 'display="block"' in drawn
    assert "<mo>&#x0003C;</mo>" in drawn


def test_other_text_stays_as_it_is() -> None:
    page = "<p>costs $5, <code>\\(x\\)</code></p>"
    assert typeset(page) == page


@pytest.mark.parametrize(
    "tex", ["\\unknown x", "\\begin{aligned} a &= b \\end{aligned}"]
)
def test_what_has_no_mathml_stops_the_build(tex: str) -> None:
    with pytest.raises(ValueError, match="cannot be written in MathML"):
        typeset(f'<span class="arithmatex">\\({tex}\\)</span>')
