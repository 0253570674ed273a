#!/usr/bin/env python3
"""Prints a fenced block of a Markdown file.

fenced.py FILE LANGUAGE TEXT    the first block in that language that holds the text
"""

import sys
from collections.abc import Iterator
from pathlib import Path


def blocks(text: str, language: str) -> Iterator[str]:
    lines: list[str] = []
    inside: str | None = None
    for line in text.splitlines():
        if line.startswith("```"):
            if inside == language:
                yield "\n".join(lines)
            lines, inside = [], None if inside is not None else line[3:]
        elif inside is not None:
            lines.append(line)


def main() -> int:
    file, language, wanted = sys.argv[1:]
    for block in blocks(Path(file).read_text(), language):
        if wanted in block:
            print(block)
            return 0
    print(f"{file} has no {language} block with {wanted}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
