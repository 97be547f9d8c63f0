#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums up meson's test logs: prints each failure with its output and each skip with its reason, and one closing line.

On a machine where root, loop devices, FUSE and QEMU are at hand a skip is a failure, but for those listed in
tests/allowed-skips.txt (one test name and why, a line)."""
import argparse
import json
import os
import sys


def machine_has_all():
    return os.geteuid() == 0 and os.path.exists("/dev/loop-control") and os.path.exists("/dev/fuse")


def allowed_skips():
    here = os.path.join(os.path.dirname(__file__), "..", "tests", "allowed-skips.txt")
    with open(here, encoding="utf-8") as f:
        return {line.split()[0] for line in f if line.strip() and not line.startswith("#")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--broken", type=int, default=0, help="builds that failed")
    parser.add_argument("logs", nargs="*")
    args = parser.parse_args()
    passed = skipped = 0
    failed = args.broken
    strict, allowed = machine_has_all(), allowed_skips()
    for log in args.logs:
        with open(log, encoding="utf-8") as f:
            for line in f:
                t = json.loads(line)
                name = t["name"].split(" / ")[-1]
                output = (t.get("stdout") or "") + (t.get("stderr") or "")
                if t["result"] in ("OK", "EXPECTEDFAIL"):
                    passed += 1
                elif t["result"] == "SKIP":
                    last = [s for s in output.splitlines() if s.strip()][-1:] or ["no reason given"]
                    if strict and name not in allowed:
                        failed += 1
                        print(f"FAILED  {name}: skipped, but this machine has what it needs: {last[0]}")
                    else:
                        skipped += 1
                        print(f"skipped {name}: {last[0]}")
                else:
                    failed += 1
                    print(f"FAILED  {name} ({t['result'].lower()}, {log})")
                    print("\n".join("    " + s for s in output.splitlines()[-40:]))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


sys.exit(main())
