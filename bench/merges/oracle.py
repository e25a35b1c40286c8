"""A foreign oracle: reads merges with Python's own parsers and says which changes a result has lost.

Standard input: one JSON document a line, {"format", "base", "mine", "theirs", "result"}. Standard output: one line each, a JSON list of the
paths that were lost, or null where one of the texts can't be read.
"""
import json
import re
import sys
import tomllib

import yaml

ABSENT = object()


class Loader(yaml.SafeLoader):
    pass


# Tags of applications (!reference, !Ref) are data like any other here.
Loader.add_multi_constructor("", lambda loader, suffix, node: [suffix, plain(loader, node)])


def plain(loader, node):
    if isinstance(node, yaml.MappingNode):
        return {str(k): v for k, v in loader.construct_mapping(node, deep=True).items()}
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


def uncommented(text):
    out, at = [], 0
    token = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=\s*(?://[^\n]*\s*|/\*.*?\*/\s*)*[}\]])', re.S)
    for match in token.finditer(text):
        out.append(text[at : match.start()])
        out.append(match.group() if match.group().startswith('"') else " ")
        at = match.end()
    return "".join(out) + text[at:]


def dotenv(text):
    pairs = (re.match(r"\s*(?:export\s+)?([\w.-]+)\s*=(.*)", line) for line in text.split("\n"))
    return {pair.group(1): pair.group(2).strip().strip("'\"") for pair in pairs if pair}


READERS = {
    "json": lambda text: json.loads(uncommented(text.lstrip("\ufeff"))),
    "yaml": lambda text: yaml.load(text, Loader),
    "toml": tomllib.loads,
    "dotenv": dotenv,
}


def leaves(value, path=()):
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from leaves(inner, (*path, str(name)))
    else:
        yield path, value


def lost(base, mine, theirs, result):
    """What one side changed and the other did not, and that the result does not have so."""
    sides = [dict(leaves(each)) for each in (base, mine, theirs, result)]
    old, one, other, made = sides
    paths = []
    for path in {*old, *one, *other}:
        was, left, right, now = (side.get(path, ABSENT) for side in (old, one, other, made))
        if isinstance(left, list) and isinstance(right, list) and left != was and right != was:
            # Both changed a list: every item that one of them put in is there. Texts of several lines are merged by line.
            put_in = [item for item in [*left, *right] if not isinstance(was, list) or item not in was]
            scalars = [item for item in put_in if not isinstance(item, (dict, list)) and "\n" not in str(item)]
            if not isinstance(now, list) or any(item not in now for item in scalars):
                paths.append(".".join(path))
        elif left == was and right != was and now != right and not inside(path, made, right, now):
            paths.append(".".join(path))
        elif right == was and left != was and now != left and not inside(path, made, left, now):
            paths.append(".".join(path))
    return sorted(paths)


def inside(path, made, wanted, now):
    """An empty map or a scalar that the other side made a map of: its leaves stand below it."""
    return now is ABSENT and (wanted in ({}, None) or wanted is ABSENT) and any(each[: len(path)] == path for each in made)


for line in sys.stdin:
    case = json.loads(line)
    try:
        read = READERS[case["format"]]
        values = [read(case[side]) if case[side].strip() else {} for side in ("base", "mine", "theirs", "result")]
        print(json.dumps(lost(*values)))
    except Exception:  # whatever a parser of somebody else throws
        print("null")
