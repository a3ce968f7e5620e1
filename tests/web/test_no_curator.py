"""The page has no route to the curator: nothing it does loads that room."""

import subprocess
import sys

from dpratio.release.files import release_to_bytes
from release.releases_for_tests import plan_of, release_of

CODE = """
import sys
from starlette.testclient import TestClient
from dpratio.web.page import make_application
import dpratio.web.serve

home = "http://127.0.0.1:8000"
client = TestClient(make_application(8000), base_url=home)
assert client.get("/").status_code == 200
for content, status in ((b"{}", 422), (sys.stdin.buffer.read(), 200)):
    files = {"release": ("a.json", content)}
    answer = client.post("/view", files=files, headers={"Origin": home})
    assert answer.status_code == status, answer.text
loaded = [name for name in sys.modules if name.startswith("dpratio.curator")]
print(loaded, "duckdb" in sys.modules)
"""


def test_a_page_that_was_used_has_not_loaded_the_curator() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        input=release_to_bytes(release_of(plan_of())),
        capture_output=True,
        check=True,
        timeout=600,
    )
    assert done.stdout.strip() == b"[] False"
