"""Writes the examples of a schema as the files that libFuzzer begins with: python -m fuzz.seeds SCHEMA FOLDER"""

import sys
from pathlib import Path

from common import examples


def main() -> None:
    schema, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for example in examples.read(schema):
        (folder / example.name).write_text(example.text, encoding="utf-8")


if __name__ == "__main__":
    main()
