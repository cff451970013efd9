#!/usr/bin/env python3
"""Prints a YAML file as JSON: what the two have in common, and nothing that one reader of YAML takes for something else
than another. Unlike YAML 1.1, "yes", "off" and dates are strings; a key that is there twice is refused."""
import json
import sys

import yaml


class Loader(yaml.SafeLoader):
    """The JSON schema of YAML 1.2 (section 10.2), but that plain strings need no quotes."""
    yaml_implicit_resolvers = {}

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if not isinstance(key, str) or keys.count(key) > 1:
                raise yaml.MarkedYAMLError(problem="key %r is twice there, or no string" % key, problem_mark=node.start_mark)
        return super().construct_mapping(node, deep)


NUMBER = r"-?(?:0|[1-9][0-9]*)"
for tag, pattern, first in [("null", r"null", "n"), ("bool", r"true|false", "tf"), ("int", NUMBER, "-0123456789"),
                            ("float", NUMBER + r"(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", "-0123456789")]:
    Loader.add_implicit_resolver("tag:yaml.org,2002:" + tag, yaml.resolver.re.compile("(?:%s)\\Z" % pattern), list(first))


def load(path):
    with open(path, encoding="utf-8") as f:
        return yaml.load(f, Loader)


if __name__ == "__main__":
    text = json.dumps(load(sys.argv[1]), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    sys.stdout.buffer.write(text.encode() + b"\n")
