#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which parameters move a modelled drive's headline figures most: each is moved by 10 % down and up in a copy of the
profiles, the tests are run, and the five with the greatest effect are printed per figure, as a Markdown table.

    bench/sensitivity/sensitivity.py SSDSCOPE [tpu-617gb] [phison-e12-960gb]
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# Section, key and what to call it. Whole numbers of things (dies, planes, cores) cannot move by a tenth.
PARAMETERS = [
    ("nand/slc", "tprog_us", "SLC program time"), ("nand/native", "tprog_us", "native program time"),
    ("nand/slc", "tr_us", "SLC read time"), ("nand/native", "tr_us", "native read time"),
    ("nand/slc", "terase_us", "SLC erase time"), ("nand/native", "terase_us", "native erase time"),
    ("nand", "channel_mts", "channel speed"), ("nand", "channel_overhead_us", "channel overhead"),
    ("nand", "blocks_per_plane", "blocks (over-provisioning)"), ("link", "efficiency_permille", "link efficiency"),
    ("host", "submit_us", "host submission"), ("host", "complete_us", "host completion"),
    ("controller", "read_command_us", "read command time"), ("controller", "write_command_us", "write command time"),
    ("controller", "read_latency_us", "read latency"), ("controller", "write_latency_us", "write latency"),
    ("controller", "background_4k_us", "time per 4 KiB moved"), ("controller", "write_buffer_kib", "write buffer"),
    ("controller", "readahead_kib", "read-ahead window"), ("pslc", "dynamic_cap_gb", "cache size"),
    ("pslc", "dynamic_cap_permille", "cache size"), ("pslc", "mixed_direct_permille", "direct share after the cache"),
    ("background", "idle_permille", "share of idle time used"), ("background", "idle_delay_ms", "delay before idle work"),
    ("power", "idle_mw", "floor power"), ("power", "active_mw", "active power"),
    ("power", "die_program_mw", "program power"), ("power", "die_read_mw", "read power"),
    ("power", "channel_mw", "channel power"), ("power", "link_pj_per_byte", "link energy"),
]
WHOLE = re.compile(r"_(mw|permille|kib|byte|plane|mts)$|^(active|idle)_mw$|blocks_per_plane")


def fill_figures(t):
    c = t["fill"]["cache"]
    return {"cache size": c["bytes"], "rate in the cache": c["mbps"], "typical rate after it": c["after_mbps"],
            "mean of the fill": t["fill"]["mean_mbps"], "W of the fill": t["fill"]["power_w"]}


def sweep_figures(t):
    w, r = t["seq-write"]["fresh"], t["seq-read"]["fresh"]
    return {"burst read": t["burst-seq-read"]["mbps"], "burst write": t["burst-seq-write"]["mbps"],
            "read score": r["score_mbps"], "highest read rate": max(p["mbps"] for p in r["points"]),
            "write score": w["score_mbps"], "lowest write rate": min(p["mbps"] for p in w["points"]),
            "W of reads": r["power_w"], "W of writes": w["power_w"]}


DRIVES = {
    "tpu-617gb": ("techpowerup", ["fill"], fill_figures),
    "phison-e12-960gb": ("anandtech-2018", ["burst-seq-read", "burst-seq-write", "seq-write", "seq-read:fresh"], sweep_figures),
}


def files_of(folder, drive):
    """The drive's file first: what it says goes before the shared ones."""
    own = folder / f"{drive}.yaml"
    text = own.read_text()
    shared = [folder / kind / (re.search(rf"^{kind}_file: *(\S+)", text, re.M)[1] + ".yaml") for kind in ("nand", "controller")]
    return [own] + shared


def move(file, section, key, factor):
    """Moves one value of one file; False if it is not there."""
    lines = file.read_text().splitlines()
    path = []
    for i, line in enumerate(lines):
        found = re.match(r"( *)(\w+):", line)
        if found:
            path = path[: len(found[1]) // 2] + [found[2]]
        for inner in re.finditer(r"(\w+): *(\[[^\]]*\]|[0-9.]+)", line):
            where = path[:-1] if found and inner.start() == len(found[1]) else path
            if inner[1] != key or (section == "link" and "link" not in where) or \
                    (section != "link" and "/".join(where) != section):
                continue
            scale = lambda n: str(round(float(n[0]) * factor)) if WHOLE.search(key) else f"{float(n[0]) * factor:g}"
            value = re.sub(r"[0-9.]+", scale, inner[2])
            if key == "readahead_kib":
                value = str(int(value) // 4 * 4)
            lines[i] = line[: inner.start(2)] + value + line[inner.end(2):]
            file.write_text("\n".join(lines) + "\n")
            return True
    return False


def run(program, drive, parameter=None, factor=1.0):
    """The figures with one parameter moved; None where the drive has no such parameter."""
    suite, tests, figures = DRIVES[drive]
    with tempfile.TemporaryDirectory() as scratch:
        data = pathlib.Path(scratch)
        shutil.copytree(SOURCE / "profiles", data / "profiles")
        shutil.copytree(SOURCE / "suites", data / "suites")
        if parameter and not any(move(f, parameter[0], parameter[1], factor) for f in files_of(data / "profiles", drive)):
            return None
        command = [program, "run", "--json", "-q", "--store", str(data / "runs.db"), "--suite", suite]
        for t in tests:
            command += ["-t", t]
        done = subprocess.run(command + [f"sim:{drive}"], capture_output=True, text=True, env={**os.environ, "SSDSCOPE_DATA": scratch})
        if done.returncode == 2:
            return None  # the value is not allowed: too little flash for the capacity
        if done.returncode:
            sys.exit(f"{drive}, {parameter} x {factor}: {done.stderr.strip()}")
        return figures(json.loads(done.stdout)["tests"])


def main():
    program, drives = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(DRIVES)
    for drive in drives:
        base = run(program, drive)
        jobs = [(p, f) for p in PARAMETERS for f in (0.9, 1.1)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            moved = list(pool.map(lambda j: run(program, drive, *j), jobs))
        print(f"\n`{drive}`\n\n| figure | value | the five that move it most: effect of - 10 % and + 10 % |\n|---|---|---|")
        for figure, value in base.items():
            effects = []
            for k, p in enumerate(PARAMETERS):
                down, up = moved[2 * k], moved[2 * k + 1]
                effect = [m[figure] / value - 1 if m and m[figure] is not None else None for m in (down, up)]
                if any(e is not None for e in effect):
                    effects.append((effect, p[2]))
            size = lambda e: max(abs(x) for x in e[0] if x is not None)
            percent = lambda x: "-" if x is None else f"{100 * x:+.1f}"
            effects = [e for e in sorted(effects, key=size, reverse=True) if size(e) >= 0.0005]
            text = "; ".join(f"{name} {percent(e[0])} / {percent(e[1])} %" for e, name in effects[:5])
            shown = f"{value / 1e9:.1f} GB" if "size" in figure else f"{value:.2f} W" if figure[0] == "W" else f"{value:.0f} MB/s"
            print(f"| {figure} | {shown} | {text} |")


main()
