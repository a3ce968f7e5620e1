"""The page has no route to the curator: nothing it does loads that room."""

import subprocess
import sys

CODE = """
import sys
from starlette.testclient import TestClient
from dpratio.web.application import make_application
import dpratio.web.serve

home = "http://127.0.0.1:8000"
client = TestClient(make_application(8000), base_url=home)
for path in ("/?weights=range&groups=bins", "/forecast", "/charts", "/study.toml"):
    assert client.get(path).status_code == 200, path
files = {"release": ("a.json", b"{}")}
assert client.post("/view", files=files, headers={"Origin": home}).status_code == 422
loaded = [name for name in sys.modules if name.startswith("dpratio.curator")]
print(loaded, "duckdb" in sys.modules)
"""


def test_a_page_that_was_used_has_not_loaded_the_curator() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.strip() == "[] False"
