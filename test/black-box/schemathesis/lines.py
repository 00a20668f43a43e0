"""Validates NDJSON and CSV responses line by line against the schemas of the document."""

import csv
import io
import json

import jsonschema_rs
import schemathesis

VALIDATORS = {}


def schema_of(case, media_type):
    """Returns the reference to the schema of a line; None if the operation has no such media type."""
    answer = case.operation.definition.raw["responses"].get("200", {})
    return answer.get("content", {}).get(media_type, {}).get("schema", {}).get("$ref")


def validator_of(reference, document):
    if reference not in VALIDATORS:
        schema = {"$ref": reference, "components": document["components"]}
        VALIDATORS[reference] = jsonschema_rs.Draft202012Validator(schema)
    return VALIDATORS[reference]


@schemathesis.check
def lines_match_their_schema(ctx, response, case):
    reference = schema_of(case, "application/x-ndjson")
    if response.status_code != 200 or reference is None:
        return
    validator = validator_of(reference, case.operation.schema.raw_schema)
    for line in response.content.decode().splitlines():
        for error in validator.iter_errors(json.loads(line)):
            raise AssertionError(f"The document forbids this line: {error.message}\n{line[:500]}")


@schemathesis.check
def first_row_names_the_declared_columns(ctx, response, case):
    reference = schema_of(case, "text/csv")
    if response.status_code != 200 or reference is None:
        return
    schema = case.operation.schema.raw_schema["components"]["schemas"][reference.split("/")[-1]]
    first = next(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))), [])
    assert first == list(schema["properties"]), f"The document declares other columns than {first}"
