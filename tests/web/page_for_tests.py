"""The page in this process, and what is sent to it."""

from starlette.testclient import TestClient

from dpratio.web.application import make_application

__all__ = ["DESCRIBED", "HOME", "PAGE", "send"]

HOME = "http://127.0.0.1:8000"
PAGE = TestClient(make_application(8000), base_url=HOME)
# Fields that describe the people: a forecast is then one figure, and no range.
DESCRIBED = {"numerator_mean": "0.5", "numerator_sd": "0.2", "per_mean": "0.45"}


def send(*files: tuple[str, bytes]) -> tuple[int, str]:
    """Send files to the viewer; give the status of its answer, and the text."""
    sent = [("release", file) for file in files]
    answer = PAGE.post("/view", files=sent, headers={"Origin": HOME})
    return answer.status_code, answer.text.replace("&#39;", "'")
