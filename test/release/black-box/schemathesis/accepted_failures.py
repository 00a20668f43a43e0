"""Failures of schemathesis that are accepted, each with its reason. All others fail the run."""

import json
import re
from pathlib import Path

# The validation of the suite's traffic accepts the same rules.
RULES = json.loads((Path(__file__).parents[2] / "contract-validation" / "rules-beyond-schema.json").read_text())


def is_accepted(failure, case, response):
    """Returns whether a protocol answered, or a rule that a JSON schema cannot express rejected the request."""
    # MCP's acknowledgements and errors follow its own specification, not the document of the service.
    if case.path == "/mcp" and (response.status_code == 202 or b'"jsonrpc"' in response.content):
        return True
    # The HTTP parser rejects a URL and headers of more than 16 KB before any operation is known.
    if response.status_code == 431:
        return True
    # The document describes one event, and this check reads frames; lines.py validates the events in them.
    if failure.code == "ST108" and response.headers.get("content-type", [""])[0].startswith("text/event-stream"):
        return True
    if failure.code == "ST201":
        dropped = "|".join(RULES["droppedMembers"])
        return re.search(rf"Invalid component: .*\b({dropped})\b", failure.message) is not None
    if failure.code != "ST202":
        return False
    error = json.loads(response.content)
    if error["error"] in RULES["errorCodes"]:
        return True
    return any(issue["code"] in RULES["issueCodes"] for issue in error.get("issues", []))
