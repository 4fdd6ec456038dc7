# SPDX-License-Identifier: BSD-3-Clause
"""schema.py SCHEMA: check JSON documents, one a line or one in all, from stdin against a schema.

Knows as much of JSON Schema as docs/schemas uses, and refuses a schema that uses more."""
import json
import re
import sys

KNOWN = {"$schema", "title", "type", "required", "properties", "additionalProperties",
         "patternProperties", "items", "const", "enum"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool,
         "integer": int, "number": (int, float)}


def check(value, schema, where):
    unknown = set(schema) - KNOWN
    if unknown:
        sys.exit(f"{where}: the schema uses {unknown}")
    if "const" in schema and value != schema["const"]:
        sys.exit(f"{where}: {value!r}, expected {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        sys.exit(f"{where}: {value!r}, expected one of {schema['enum']}")
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or
                 (isinstance(value, bool) and kind != "boolean")):
        sys.exit(f"{where}: {value!r}, expected {kind}")
    if kind == "array":
        for i, item in enumerate(value):
            check(item, schema["items"], f"{where}[{i}]")
    if kind == "object":
        check_object(value, schema, where)


def check_object(value, schema, where):
    for key in schema.get("required", []):
        if key not in value:
            sys.exit(f"{where}: no '{key}'")
    for key, item in value.items():
        inner = schema.get("properties", {}).get(key)
        for pattern, other in schema.get("patternProperties", {}).items():
            if inner is None and re.search(pattern, key):
                inner = other
        if inner is None:
            inner = schema.get("additionalProperties", True)
        if inner is False:
            sys.exit(f"{where}: '{key}' is not in the schema")
        if isinstance(inner, dict):
            check(item, inner, f"{where}.{key}")


with open(sys.argv[1], encoding="utf-8") as file:
    SCHEMA = json.load(file)
text = sys.stdin.read()
try:
    documents = [json.loads(text)]
except json.JSONDecodeError:
    documents = [json.loads(line) for line in text.splitlines()]
if not documents:
    sys.exit("nothing to check")
for number, document in enumerate(documents):
    check(document, SCHEMA, f"document {number + 1}")
