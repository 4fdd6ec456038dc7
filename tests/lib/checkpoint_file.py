#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Read a checkpoint, independent of the component that wrote it, and print what does not depend on
the ranks: the moment, the mesh, the patches of each level, and a hash of its cells' values.

    checkpoint_file.py FOLDER [--without-patches]
"""
import hashlib
import os
import struct
import sys
import zlib


def records_of(folder, serial, file):
    """{offset: (level, ilo, jlo, nx, ny, values)}"""
    with open(os.path.join(folder, f"values-{serial:06d}-{file:04d}"), "rb") as f:
        data = f.read()
    magic, order, version, its_serial, its_file, size, crc = struct.unpack_from("=8sQqqqqQ", data)
    assert (magic, order, version) == (b"ckvalues", 0x0102030405060708, 1), (magic, order, version)
    assert (its_serial, its_file, size) == (serial, file, len(data)) and crc == zlib.crc32(data[:48])
    at, records = 56, {}
    while at < len(data):
        level, ilo, jlo, nx, ny, components = struct.unpack_from("=6q", data, at)
        values = at + 48
        end = values + 8 * components * nx * ny
        assert struct.unpack_from("=Q", data, end)[0] == zlib.crc32(data[at:end])
        records[at] = level, ilo, jlo, nx, ny, data[values:end]
        at = end + 8
    return records


def main(folder, with_patches):
    with open(os.path.join(folder, "index")) as f:
        text = f.read()
    body, _, crc = text.rpartition("checksum ")
    assert int(crc, 16) == zlib.crc32(body.encode())
    files, serial, cells = {}, 0, {}
    for line in body.splitlines():
        key, *words = line.split(" ")
        if key == "serial":
            serial = int(words[0])
        elif key == "files":
            files = {k: records_of(folder, serial, k) for k in range(int(words[0]))}
        elif key == "level":
            print("level", words[0], words[1], words[2] if with_patches else "")
        elif key == "patch":
            level, ilo, jlo, nx, ny, file, offset = map(int, words)
            *place, values = files[file].pop(offset)
            assert place == [level, ilo, jlo, nx, ny]
            if with_patches:
                print("patch", level, ilo, jlo, nx, ny)
            for j in range(ny):
                for i in range(nx):
                    cell = b"".join(values[8 * at : 8 * at + 8] for at in range(j * nx + i, 5 * nx * ny, nx * ny))
                    assert (level, jlo + j, ilo + i) not in cells
                    cells[level, jlo + j, ilo + i] = cell
        else:
            print(line)
    assert not any(files.values()), "records that the index does not name"
    for level in sorted({level for level, _, _ in cells}):
        found = sorted((place, cell) for place, cell in cells.items() if place[0] == level)
        print("cells", level, len(found), hashlib.sha256(repr(found).encode()).hexdigest())


if __name__ == "__main__":
    main(sys.argv[1], "--without-patches" not in sys.argv[2:])
