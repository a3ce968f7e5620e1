"""`dpratio rehearse`, run as a user runs it."""

import json
from pathlib import Path

from cli.anyone.test_forecast_command import STUDY, run


def test_a_study_is_rehearsed_written_and_drawn(tmp_path: Path) -> None:
    study, page = tmp_path / "study.toml", tmp_path / "rehearsal.html"
    study.write_text(STUDY, encoding="utf-8")
    done = run("rehearse", study, "--html", page, "--format", "json")
    rows = json.loads(done.stdout)
    assert len(rows) == 20
    assert "the truth is 1.111" in page.read_text(encoding="utf-8")
    again = run("rehearse", study, "--seed", 2, "--answers", 3, "--epsilon", "0.1")
    assert "3 answers about 2,000 invented people" in " ".join(again.stdout.split())
    assert "at epsilon 0.1." in " ".join(again.stdout.split())
