#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh PROGRAM [WORD...]: run one of the battery's Python programs, with lib.sh's folder to work in.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/lib.sh"
chmod 755 "$dir" # for those that run as somebody else
mkdir classes work && ln -s "$components"/fa_*.so classes
export CLASSES=$dir/classes LIBFAULT=$O/tests/faults/libfault.so
cd work && python3 "$root/tests/faults/$1" "${@:2}"
