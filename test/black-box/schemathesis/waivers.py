"""Findings that are no faults, each with its reason. Anything that is not named here fails the run."""

import json
from pathlib import Path

# Rules that a JSON schema can't say are named once, for every judge of the document.
RULES = json.loads((Path(__file__).parents[2] / "contract-validation" / "waivers.json").read_text())


def is_waived(failure, case, response):
    return is_refused_by_a_rule(failure, response)


def is_refused_by_a_rule(failure, response):
    """What the schema allows is refused by a rule that no schema can say."""
    if failure.code != "ST202":
        return False
    refusal = json.loads(response.content)
    if refusal["error"] in RULES["refusals"]:
        return True
    return any(issue["code"] in RULES["problems"] for issue in refusal.get("issues", []))
