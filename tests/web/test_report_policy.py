"""A report may run what it was written with."""

import base64
import hashlib

from dpratio.web.report_policy import policy_of


def hash_of(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def test_scripts_and_styles_are_allowed_by_their_hashes() -> None:
    script, style = "let a = '<b>' && 1;\n", "p > b { color: red }"
    policy = policy_of(f"<style>{style}</style><p>x</p><script>{script}</script>")
    assert f"script-src {hash_of(script)};" in policy
    assert f"style-src {hash_of(style)};" in policy
    assert policy.startswith("default-src 'none'")
    assert "sandbox allow-scripts allow-downloads" in policy


def test_a_report_without_scripts_may_run_none() -> None:
    assert "script-src 'none'" in policy_of("<p>words</p>")
