#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh PROGRAM: run one of the battery's Python programs in a directory of its own.
# O and BUILD are as in tests/lib/run.sh.
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir" # for those that run as somebody else
mkdir "$dir/classes" "$dir/work" && ln -s "$O"/tests/components/fa_*.so "$dir/classes"
export CLASSES=$dir/classes LIBFAULT=$O/tests/faults/libfault.so PYTHONDONTWRITEBYTECODE=1
export PATH="$O/bin:$PATH"
ulimit -c 0
cd "$dir/work" && python3 "$here/$1" "${@:2}"
