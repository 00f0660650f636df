"""Vectors/FIELDS.md: the types of all fields, as tables, from the schemas."""

SAME = {"hex": "hex", "text": "text", "decimal": "decimal", "frameName": "frame name", "shown": "hex, or `#…`",
        "signed": "hex, or with `*`, or `#…`", "number16": "integer", "role": "`initiator` or `responder`", "layer": "layer"}
# What has a table of its own.
ELSEWHERE = {"events": "[*event*]", "groups": "[*group*]", "tests": "[*test*]", "result": "*result*", "notes": "*notes*"}
SHARED = ["field", "frame", "extension", "admission", "address", "keepAlive", "certificate"]

INTRODUCTION = """# Types of all fields

`Scripts/check-vectors --write` makes this file from [schemas/](schemas); `README.md` says what the fields mean. Every member of an object is
in its row or table, and nothing else may be there. A field with `?` may be left out.

| type | |
|---|---|
| hex | {hex} |
| hex, *n* | *n* bytes, in lowercase hexadecimal |
| decimal | {decimal} |
| integer | a number of JSON; after it the range, if it is narrower than what its bytes can hold |
| text | {text} |
| frame name | {frameName} |
| hex, or `#…` | {shown} |
| hex, or with `*`, or `#…` | {signed} |
| layer | a layer of SPEC §18, in lowercase |
"""


class Tables:
    def __init__(self, schemas):
        self._schemas = schemas
        self._types = schemas.files["types-v1.json"]["$defs"]

    def document(self):
        texts = {name: self._types[name]["description"].replace("SPEC ", "SPEC §")
                 for name in ("hex", "decimal", "text", "frameName", "shown", "signed")}
        lines = INTRODUCTION.format(**texts).splitlines()
        lines += ["", "## Shared objects", "", "| name | members |", "|---|---|"]
        lines += [f"| {name} | {self._members(self._types[name], 'types-v1.json')} |" for name in SHARED]
        lines += ["", "## Files, groups and tests", ""] + self._envelope()
        lines += ["", "## Groups without steps"]
        for name, file in self._schemas.files.items():
            if "$defs" in file and "params" in file["$defs"] and "step" not in file["$defs"]:
                lines += self._group(name, file)
        lines += ["", "## Steps of the app", ""] + self._forms(
            [("types-v1.json", self._types[name]) for name in ("linkStep", "payloadStep")], "do", ["actor"])
        lines += ["", "`LinkScript` and `Session` have all of them; `AssociationScript` has those from `send` on, and `close` without `code`. "
                  "`NodeScript` has its own. `actor` is `app`, in `Session` the role of the app's side."]
        lines += ["", "## Events", ""] + self._forms(
            [("types-v1.json", self._types[name]) for name in ("linkEvent", "payloadEvent")], "event", [])
        lines += ["", "`LinkScript` and `Session` have all of them; `AssociationScript` has those from `message` on, `failed` and `resumable`. `NodeScript` has its own."]
        for name, file in self._schemas.files.items():
            if "step" in file.get("$defs", {}):
                lines += self._script(name, file)
        return "\n".join(lines) + "\n"

    @staticmethod
    def _title(file):
        return file["title"].removeprefix("Vectors of the group ")

    def _envelope(self):
        file = self._schemas.files["varint-v1.json"]
        group = file["properties"]["groups"]["items"]
        accepts, rejects = group["properties"]["tests"]["items"]["oneOf"]
        lines = ["| object | members |", "|---|---|"]
        for name, schema in (("file", file), ("group", group), ("test", rejects)):
            shown = {**schema, "properties": {**schema["properties"], **({"steps": {"type": "array", "items": {"description": "step"}}} if name == "test" else {})}}
            members = self._members(shown, "varint-v1.json")
            lines.append(f"| {name} | {members.replace('`varint-v1.json`', 'text').replace('`Varint`', 'text')} |")
        for name in ("notes", "source", "rejects"):
            label = {"rejects": "*result*"}.get(name, f"*{name}*")
            accepted = "{`verdict`: `accept`} or " if name == "rejects" else ""
            lines.append(f"| {label} | {accepted}{self._type(self._types[name], 'types-v1.json')} |")
        return lines

    def _group(self, name, file):
        lines = ["", f"### {self._title(file)}", "", "| where | members |", "|---|---|"]
        definitions = file["$defs"]
        for where, label in (("params", "params"), ("inputs", "inputs"), ("accepted", "expected"), ("rejected", "expected of a rejection")):
            schema = definitions.get(where)
            if schema is None or where == "rejected" and schema == definitions.get("accepted"):
                continue
            if schema.get("properties"):
                lines.append(f"| {label} | {self._members(schema, name)} |")
        rest = [word for word in definitions if word not in ("params", "inputs", "accepted", "rejected")]
        if rest:
            lines += ["", "| frame | `fields` |", "|---|---|"]
            lines += [f"| {word} | {self._members(definitions[word], name)} |" for word in rest]
        return lines

    def _script(self, name, file):
        definitions = file["$defs"]
        lines = ["", f"## {self._title(file)}", "", "| params | type | |", "|---|---|---|"]
        lines += self._rows(definitions["params"], name)
        lines += ["", "| steps | |", "|---|---|"]
        for option in definitions["step"]["oneOf"]:
            if "properties" in option:
                lines.append(f"| `{self._constant(option)}` | {self._members(option, name, hide=self._constants(option))} |")
        if "event" in definitions:
            lines += [""] + self._forms([(name, definitions["event"])], "event", [])
        return lines

    @staticmethod
    def _constants(option):
        return [key for key, inner in option["properties"].items() if "const" in inner and key in option["required"]]

    def _constant(self, option):
        return ", ".join(f'"{key}": {str(option["properties"][key]["const"]).lower() if option["properties"][key]["const"] is True else chr(34) + option["properties"][key]["const"] + chr(34)}'
                         for key in self._constants(option))

    def _rows(self, schema, home):
        for key, inner in schema["properties"].items():
            mark = "" if key in schema["required"] else "?"
            yield f"| `{key}`{mark} | {self._type(inner, home)} | {self._said(inner)} |"

    def _forms(self, sources, key, hide):
        lines = [f"| `{key}` | members |", "|---|---|"]
        for home, schema in sources:
            for option in schema["oneOf"]:
                lines.append(f"| `{option['properties'][key]['const']}` | {self._members(option, home, hide=[key, *hide])} |")
        return lines

    @staticmethod
    def _said(inner):
        return inner.get("description", "").replace("SPEC ", "SPEC §")

    def _members(self, schema, home, hide=()):
        parts = []
        for key, inner in schema.get("properties", {}).items():
            if key in hide:
                continue
            mark = "" if key in schema.get("required", []) else "?"
            said = self._said(inner)
            if key in ELSEWHERE and not {"$ref", "items"}.isdisjoint(inner) and "enum" not in inner:
                parts.append(f"`{key}`{mark}: {ELSEWHERE[key]}")
                continue
            if key == "frame" and len(inner.get("enum", [])) > 2:
                parts.append(f"`{key}`{mark}: a name of the table below")
                continue
            parts.append(f"`{key}`{mark}: {self._type(inner, home)}" + (f" ({said})" if said else ""))
        return "; ".join(parts)

    def _type(self, schema, home):
        if "$ref" in schema:
            inner, where = self._schemas.resolve(schema["$ref"], home)
            name = schema["$ref"].rpartition("/")[2]
            if name in SAME:
                return SAME[name]
            if name.startswith("hex"):
                return f"hex, {name[3:]}"
            if name in SHARED:
                return f"*{name}*"
            if name in ("accepts", "rejects", "notes", "source") or name in ("params", "inputs", "accepted", "rejected"):
                return f"*{name}*" if where == "types-v1.json" else "by group"
            return self._type(inner, where)
        if "const" in schema:
            return f"`{str(schema['const']).lower() if isinstance(schema['const'], bool) else schema['const']}`"
        if "enum" in schema:
            return " or ".join(f"`{value}`" for value in schema["enum"])
        if "oneOf" in schema:
            return " or ".join(self._type(option, home) for option in schema["oneOf"])
        if "anyOf" in schema:
            return "by frame"
        match schema.get("type"):
            case "array":
                inner = self._type(schema["items"], home)
                return f"[{inner}]"
            case "integer":
                low, high = schema.get("minimum"), schema.get("maximum")
                natural = low == 0 and high in (None, 255, 65535, 4294967295)
                return "integer" if natural else f"integer, {low} to {high}" if high is not None else f"integer, from {low}"
            case "boolean":
                return "true or false"
            case "object" if schema.get("properties"):
                return "{" + self._members(schema, home) + "}"
            case "object":
                extra = schema.get("additionalProperties")
                return "{*flag*: " + self._type(extra, home) + "}" if isinstance(extra, dict) else "{}"
            case "string":
                return "text" if schema["pattern"][1:].startswith(("[a-z]", "[0-9]{6}", "[1-9]", "_", "sha256", "[a-z0-9]", "R", "§", "[a-z-]", "[a-z_]")) else f"`{schema['pattern']}`"
        return schema.get("description", "any")
