"""Provides schemathesis with what the document does not contain: credentials and existing ids."""

import json
import os
import urllib.request

import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import TestPhase

import lines  # noqa: F401 (registers its checks)
from accepted_failures import is_accepted

KNOWLEDGE = os.environ["BLACK_BOX_KNOWLEDGE"]
# Body fields whose value must exist, or must match an earlier response.
EXISTING_VALUES = {
    "app_id",
    "origin",
    "url",
    "visitor_id",
    "message_id",
    "token",
    "email",
    "password",
    "currentPassword",
    "baseRevision",
}


def known(kind, operation):
    with urllib.request.urlopen(f"{KNOWLEDGE}/{kind}/{operation}") as answer:
        return json.load(answer)


def give_credential(case, schemes, credential):
    if "visitorToken" in schemes:
        case.headers["Authorization"] = f"Bearer {credential}"
    elif "apiKeyHeader" in schemes:
        case.headers["x-api-key"] = credential
    elif "sessionCookie" in schemes:
        case.cookies["gp_session"] = credential


def may_change(case, location):
    """Returns whether this part of the request is valid and not the part under test."""
    component = case.meta.components.get(location)
    return (
        component is not None and component.mode.is_positive and case.meta.phase.data.parameter_location != location
    )


@schemathesis.auth(refresh_interval=None)
class CredentialAndSample:
    """Returns a credential and existing ids, made for this one request."""

    def get(self, case, context):
        operation = context.operation.definition.raw["operationId"]
        follows_links = case.meta is None or case.meta.phase.name == TestPhase.STATEFUL
        return known("credential" if follows_links else "sample", operation)

    def set(self, case, data, context):
        schemes = {name for one in context.operation.definition.raw.get("security") or [] for name in one}
        give_credential(case, schemes, data["credential"])
        if case.meta is None:
            return
        if may_change(case, ParameterLocation.PATH):
            case.path_parameters.update(
                {name: value for name, value in data["path"].items() if name in case.path_parameters}
            )
        if isinstance(case.body, dict) and may_change(case, ParameterLocation.BODY):
            case.body.update(
                {name: value for name, value in data["body"].items() if name in EXISTING_VALUES and name in case.body}
            )


@schemathesis.hook
def filter_failure(context, failure, case, response):
    return not is_accepted(failure, case, response)
