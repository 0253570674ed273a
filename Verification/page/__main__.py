"""python3 -m page --programs DIR --folder DIR [--screenshots DIR] [--list] [CHECK…]    the operators' page in a browser"""

import argparse
import os
import random
import shutil
import sys
import time
from pathlib import Path

from common.places import ROOT
from playwright.sync_api import sync_playwright

from page import campaigns, data, screens
from page.checks import Stage, run_all
from page.installation import Installation
from page.outages import CHECKS

SEED = 2026


def say(words: str) -> None:
    print(f"page: {words}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="page", description=__doc__)
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--screenshots", type=Path, help="write pictures of every view there, and check nothing")
    parser.add_argument("--readme", action="store_true", help="write the README's pictures anew, and check nothing")
    parser.add_argument("--stay", action="store_true", help="start everything, say where, and wait for the end of the input")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("checks", nargs="*", metavar="CHECK")
    chosen = parser.parse_args()
    if chosen.list:
        for name, body in CHECKS.items():
            print(f"{name:32}{(body.__doc__ or '').strip()}")
        return 0
    unknown = set(chosen.checks) - CHECKS.keys()
    if unknown or not chosen.programs or not chosen.folder:
        parser.error(f"unknown: {', '.join(sorted(unknown))}" if unknown else "--programs and --folder are needed")
    began = time.monotonic()
    shutil.rmtree(chosen.folder, ignore_errors=True)
    chosen.folder.mkdir(parents=True)
    broker, store = os.environ["WAYBILL_TEST_BROKER"], os.environ["WAYBILL_TEST_STORE"]
    with Installation(chosen.programs, chosen.folder, broker, store) as installation, sync_playwright() as playwright:
        installation.start()
        facts = data.write(store, installation.database)
        installation.await_counts()
        campaigns.prepare(installation)
        if chosen.stay:
            say(f"{installation.address}/ with the key {installation.key()}")
            sys.stdin.read()
            return 0
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        stage = Stage(browser, installation, facts, random.Random(SEED))
        if chosen.readme:
            say(f"written: {', '.join(str(picture) for picture in screens.for_readme(stage, ROOT))}")
            return 0
        if chosen.screenshots:
            say(f"{len(screens.take(stage, chosen.screenshots))} pictures are in {chosen.screenshots}")
            return 0
        names = chosen.checks or list(CHECKS)
        failed = run_all(stage, names, say)
        browser.close()
        words = installation.words()
        if '"api.failed"' in words or "api.failed" in words:
            failed.append("the server's own words")
            say("FAILED: the server says api.failed")
    say(f"{len(names) - len(failed)} of {len(names)} checks passed in {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


sys.exit(main())
