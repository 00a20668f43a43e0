"""Failures of schemathesis that are accepted, each with its reason. All others fail the run."""

import json
from pathlib import Path

# The validation of the suite's traffic accepts the same rules.
RULES = json.loads((Path(__file__).parents[2] / "contract-validation" / "rules-beyond-schema.json").read_text())


def is_accepted(failure, case, response):
    """Whether a rule that a JSON schema cannot express rejected the request."""
    if failure.code != "ST202":
        return False
    error = json.loads(response.content)
    if error["error"] in RULES["errorCodes"]:
        return True
    return any(issue["code"] in RULES["issueCodes"] for issue in error.get("issues", []))
