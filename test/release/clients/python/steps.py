"""Shared by the Python scenarios: settings, step reports, and the event stream."""

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
CONVERSATION = f"conv-scenario-{os.getpid()}"
UNKNOWN_ARTICLE = "art_01kakv2fxse7wtg6x5r0h8rjbm"
UNKNOWN_KEY = "pk_live_" + "a" * 47
# The event types that the scenario reads; others are skipped.
EVENTS = ("text_delta", "citation", "message_end")


def step(name: str, act: Callable[[], str]) -> None:
    try:
        line = {"step": name, "result": act()}
    except Exception as cause:  # Report the failure and continue with the next step.
        line = {"step": name, "failed": repr(cause)}
    print(json.dumps(line), flush=True)


def events_in(lines: Iterable[str]) -> Iterator[tuple[float, str]]:
    """Yields the arrival time and the JSON of every event."""
    for line in lines:
        if line.startswith("data: "):
            yield time.monotonic(), line.removeprefix("data: ")


def describe_timing(times: list[float]) -> str:
    return "typed, incremental" if times[-1] - times[0] > 0.05 else "typed, buffered"
