"""JSON Schema as far as Vectors/schemas/ uses it: judging a value, and whether every place of a schema has a type."""
import json
import re

KNOWN = {"$schema", "$id", "$defs", "$ref", "title", "description", "type", "properties", "required", "additionalProperties",
         "items", "enum", "const", "pattern", "minimum", "maximum", "oneOf", "anyOf", "allOf"}
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}


def equal(one, other):
    """JSON's equality: true is not 1."""
    return type(one) is type(other) and one == other


class Schemas:
    """All schemas of a folder; a reference names a definition of its own file, or of another file."""

    def __init__(self, folder):
        self.files = {path.name: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}

    def resolve(self, reference, home):
        """The schema that a reference means, and the file that it stands in."""
        file, _, name = reference.partition("#/$defs/")
        home = file or home
        return self.files[home]["$defs"][name], home

    def fault(self, value, name):
        """The first fault of a whole file under the schema of this name, or None."""
        return self._check(value, self.files[name], name, name)

    def _check(self, value, schema, home, path):
        if "$ref" in schema:
            inner, where = self.resolve(schema["$ref"], home)
            return self._check(value, inner, where, path)
        for part in schema.get("allOf", []):
            if fault := self._check(value, part, home, path):
                return fault
        for word in ("oneOf", "anyOf"):
            if word in schema:
                faults = [self._check(value, option, home, path) for option in schema[word]
                          if not self._excluded(value, option, home)]
                if not (faults.count(None) == 1 or word == "anyOf" and None in faults):
                    deepest = max((fault for fault in faults if fault), key=len, default="")
                    return f"{path}: fits {faults.count(None)} of {len(schema[word])} forms; {deepest}"
        if "const" in schema and not equal(value, schema["const"]):
            return f"{path}: is not {schema['const']!r}"
        if "enum" in schema and not any(equal(value, option) for option in schema["enum"]):
            return f"{path}: {value!r} is none of {schema['enum']}"
        kind = schema.get("type")
        if kind and (not isinstance(value, TYPES[kind]) or kind == "integer" and isinstance(value, bool)):
            return f"{path}: is no {kind}"
        if "pattern" in schema and not re.fullmatch(schema["pattern"].removeprefix("^").removesuffix("$"), value):
            return f"{path}: {value[:60]!r} does not match {schema['pattern']}"
        if isinstance(value, int) and value < schema.get("minimum", value):
            return f"{path}: is below {schema['minimum']}"
        if isinstance(value, int) and value > schema.get("maximum", value):
            return f"{path}: is above {schema['maximum']}"
        if isinstance(value, dict):
            return self._check_members(value, schema, home, path)
        if isinstance(value, list) and "items" in schema:
            for index, element in enumerate(value):
                if fault := self._check(element, schema["items"], home, f"{path}[{index}]"):
                    return fault
        return None

    def _check_members(self, value, schema, home, path):
        for key in schema.get("required", []):
            if key not in value:
                return f"{path}: lacks {key}"
        properties, extra = schema.get("properties", {}), schema.get("additionalProperties", True)
        for key, member in value.items():
            inner = properties.get(key, extra)
            if inner is False:
                return f"{path}: {key} is not part of the format"
            fault = None if inner is True else self._check(member, inner, home, f"{path}.{key}")
            if fault:
                return fault
        return None

    def _excluded(self, value, option, home):
        """Whether a constant of the option, such as the name of an event, is another one: only saves time."""
        while "$ref" in option:
            option, home = self.resolve(option["$ref"], home)
        if not isinstance(value, dict):
            return False
        return any("const" in inner and key in value and not equal(value[key], inner["const"])
                   for key, inner in option.get("properties", {}).items())

    # That no place is without a type.

    def untyped(self):
        """Every place of every schema that has no type, or lets in what it does not name."""
        found = []
        for name, file in self.files.items():
            for word, definition in file.get("$defs", {}).items():
                found += self._untyped(definition, f"{name}: {word}")
            if "properties" in file:
                found += self._untyped(file, name + ": file")
        return found

    def _untyped(self, schema, path):
        if unknown := schema.keys() - KNOWN:
            return [f"{path}: uses {sorted(unknown)}, which this script does not know"]
        if "$ref" in schema:
            file, _, name = schema["$ref"].partition("#/$defs/")
            known = self.files.get(file or path.partition(":")[0], {}).get("$defs", {})
            return [] if name in known else [f"{path}: {schema['$ref']} does not exist"]
        if schema.keys() & {"const", "enum"}:
            return []
        if "allOf" in schema:  # the first gives the types, the others only narrow them
            return self._untyped(schema["allOf"][0], path)
        for word in ("oneOf", "anyOf"):
            if word in schema:
                return [line for number, option in enumerate(schema[word]) for line in self._untyped(option, f"{path}[{number}]")]
        match schema.get("type"):
            case "object":
                extra = schema.get("additionalProperties", True)
                found = [f"{path}: lets in members that it does not name"] if extra is True else []
                found += self._untyped(extra, f"{path}.*") if isinstance(extra, dict) else []
                for key, inner in schema.get("properties", {}).items():
                    found += self._untyped(inner, f"{path}.{key}")
                strangers = set(schema.get("required", [])) - schema.get("properties", {}).keys()
                return found + [f"{path}: requires {key}, which has no type" for key in sorted(strangers)]
            case "array":
                return self._untyped(schema["items"], f"{path}[]") if "items" in schema else [f"{path}: has elements of any type"]
            case "string":
                return [] if "pattern" in schema or "description" in schema else [f"{path}: a string without pattern and description"]
            case "integer" | "boolean":
                return []
        return [f"{path}: has no type"]
