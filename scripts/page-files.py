#!/usr/bin/env python3
"""Writes Sources/CWaybillPage/page.c, which puts the files of the pages into the binary.

scripts/page-files.py            after a file has come to Sources/WaybillHTTPAPI/Page/Assets, or gone
scripts/page-files.py --check    says whether that was forgotten
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ASSETS = ROOT / "Sources/WaybillHTTPAPI/Page/Assets"
SOURCE = ROOT / "Sources/CWaybillPage/page.c"
HEAD = """\
#include "CWaybillPage.h"

// Written by scripts/page-files.py. In C, because the compiler of Swift takes half a minute for as many bytes.
#pragma clang diagnostic ignored "-Wc23-extensions"
"""
TAIL = """
const CWaybillPageFile *cwaybill_page_files(size_t *count) {
    *count = sizeof files / sizeof *files;
    return files;
}
"""


def text() -> str:
    names = sorted(file.name for file in ASSETS.iterdir())
    arrays = "".join(
        f'\nstatic const unsigned char file_{number}[] = {{\n#embed "../WaybillHTTPAPI/Page/Assets/{name}"\n}};\n'
        for number, name in enumerate(names)
    )
    rows = "".join(f'    {{"{name}", file_{number}, sizeof file_{number}}},\n' for number, name in enumerate(names))
    return f"{HEAD}{arrays}\nstatic const CWaybillPageFile files[] = {{\n{rows}}};\n{TAIL}"


def main() -> int:
    if "--check" not in sys.argv[1:]:
        SOURCE.write_text(text())
    elif SOURCE.read_text() != text():
        print(f"{SOURCE.relative_to(ROOT)} is not about the files that are there; run scripts/page-files.py", file=sys.stderr)
        return 1
    else:
        print("page-files: the binary carries the page's files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
