"""Writes a source with its annotations for WP (loops.acsl) put before the lines that they belong to.

    annotate.py ANNOTATIONS SOURCE TARGET

Annotations are blocks with an empty line between them: the name of the source, one line of it or several, and what goes before
them. These must be there just once, so that an annotation of what has changed is not left out unseen.
"""
import os
import re
import sys


ANNOTATION = re.compile(r"^(loop|assert|ghost) ", re.MULTILINE)


def annotations(path, name):
    """By the lines that they go before."""
    with open(path, encoding="ascii") as f:
        blocks = [block.split("\n", 1) for block in f.read().strip().split("\n\n")]
    found = {}
    for source, text in blocks:
        if source == name:
            start = ANNOTATION.search(text).start()
            found[text[:start]] = comment(text[start:])
    return found


def comment(text):
    """One for all clauses of a loop, but one for each assertion."""
    parts = [text] if text.startswith("loop") else re.split(r"\n(?! )", text)
    return "".join("/*@ %s */\n" % part for part in parts)


def main(path, source, target):
    wanted = annotations(path, os.path.basename(source))
    with open(source, encoding="ascii") as f:
        text = f.read()
    for lines, before in wanted.items():
        if ("\n" + text).count("\n" + lines) != 1:
            sys.exit("%s does not have this just once, for an annotation:\n%s" % (source, lines))
        text = text.replace(lines, before + lines)
    with open(target, "w", encoding="ascii") as f:
        f.write(text)


main(*sys.argv[1:])
