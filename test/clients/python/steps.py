"""What every walk in Python needs: who it is, how a step is reported, what a stream is made of."""

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator

URL = os.environ["GUIDEPOST_URL"]
ORIGIN = os.environ["GUIDEPOST_ORIGIN"]
APP_ID = os.environ["GUIDEPOST_APP_ID"]
TENANT = os.environ["GUIDEPOST_TENANT_ID"]
EMAIL = os.environ["GUIDEPOST_EMAIL"]
PASSWORD = os.environ["GUIDEPOST_PASSWORD"]
API_KEY = os.environ["GUIDEPOST_API_KEY"]
USER_AGENT = os.environ["GUIDEPOST_USER_AGENT"]
CONVERSATION = f"conv-of-a-walk-{os.getpid()}"
NOBODYS_ARTICLE = "art_01kakv2fxse7wtg6x5r0h8rjbm"
NOBODYS_KEY = "pk_live_" + "a" * 47


def step(name: str, act: Callable[[], str]) -> None:
    try:
        line = {"step": name, "result": act()}
    except Exception as cause:  # The walk goes on; the report says what happened.
        line = {"step": name, "failed": repr(cause)}
    print(json.dumps(line), flush=True)


def events_in(lines: Iterable[str]) -> Iterator[tuple[float, str]]:
    """The JSON of every event, with the moment at which it came."""
    for line in lines:
        if line.startswith("data: "):
            yield time.monotonic(), line.removeprefix("data: ")


def manner(moments: list[float]) -> str:
    return "typed, as it comes" if moments[-1] - moments[0] > 0.05 else "typed, at its end"
