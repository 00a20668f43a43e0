"""Validates event streams, NDJSON and CSV event by event and line by line against the schemas of the document."""

import csv
import io
import json

import jsonschema_rs
import schemathesis

VALIDATORS = {}


def media_of(case, media_type):
    """Returns what the document says of a successful response; empty if the operation has no such media type."""
    answer = case.operation.definition.raw["responses"].get("200", {})
    return answer.get("content", {}).get(media_type, {})


def validator_of(reference, document):
    if reference not in VALIDATORS:
        schema = {"$ref": reference, "components": document["components"]}
        VALIDATORS[reference] = jsonschema_rs.Draft202012Validator(schema)
    return VALIDATORS[reference]


@schemathesis.check
def lines_match_their_schema(ctx, response, case):
    reference = media_of(case, "application/x-ndjson").get("schema", {}).get("$ref")
    if response.status_code != 200 or reference is None:
        return
    validator = validator_of(reference, case.operation.schema.raw_schema)
    # splitlines() would also split at separators that JSON allows within a text.
    for line in filter(None, response.content.decode().split("\n")):
        for error in validator.iter_errors(json.loads(line)):
            raise AssertionError(f"The document forbids this line: {error.message}\n{line[:500]}")


@schemathesis.check
def events_match_their_schema(ctx, response, case):
    reference = media_of(case, "text/event-stream").get("schema", {}).get("$ref")
    # The stream of the AI SDK has a vocabulary of its own.
    if response.status_code != 200 or reference is None or case.query.get("stream") == "ai-sdk-ui-v1":
        return
    validator = validator_of(reference, case.operation.schema.raw_schema)
    # The last part is empty, or a frame that was cut off.
    for frame in response.content.decode().split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in frame.split("\n") if line and not line.startswith(":"))
        if not fields:
            continue
        event = json.loads(fields["data"])
        assert fields["event"] == event["type"], f"The frame has another type than its event:\n{frame[:500]}"
        for error in validator.iter_errors(event):
            raise AssertionError(f"The document forbids this event: {error.message}\n{frame[:500]}")


@schemathesis.check
def first_row_names_the_declared_columns(ctx, response, case):
    example = media_of(case, "text/csv").get("example")
    if response.status_code != 200 or example is None:
        return
    first = next(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))), [])
    assert first == example.split(","), f"The document declares other columns than {first}"
