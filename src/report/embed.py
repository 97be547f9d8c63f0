# SPDX-License-Identifier: MIT
"""Turns files into C arrays: embed.py OUT.c OUT.h NAME=FILE...  Each file becomes asset_NAME (NUL-terminated) with
asset_NAME_size; for a script also asset_NAME_sha256, the base64 hash by which a Content-Security-Policy allows it."""
import base64
import hashlib
import re
import sys

out_c, out_h, *files = sys.argv[1:]
with open(out_c, "w") as c, open(out_h, "w") as h:
    h.write("/* Made by embed.py from the files named in meson.build. */\n#pragma once\n#include <stddef.h>\n")
    c.write('#include "assets.h"\n')
    for item in files:
        name, path = item.split("=", 1)
        with open(path, "rb") as f:
            data = f.read()
        # A browser would ask for a map that is not there.
        data = re.sub(rb"(//|/\*)# sourceMappingURL=\S+( \*/)?", b"", data)
        h.write(f"extern const char asset_{name}[];\nextern const size_t asset_{name}_size;\n")
        h.write(f"extern const char asset_{name}_sha256[];\n")
        c.write(f"const size_t asset_{name}_size = {len(data)};\n")
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        c.write(f'const char asset_{name}_sha256[] = "sha256-{digest}";\n')
        c.write(f"const char asset_{name}[] = {{\n")
        for i in range(0, len(data), 32):
            c.write(",".join(str(b if b < 128 else b - 256) for b in data[i : i + 32]) + ",\n")
        c.write("0};\n")
