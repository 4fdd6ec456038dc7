#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# build.sh DIR: compile the solver's components and the proxies of its ports into DIR, and copy
# solver.rc there. ccafe and proxygen come from PATH; CC, CXX, FC and FLAGS from the environment.
set -eu
[ $# = 1 ] || { echo "usage: build.sh DIR" >&2 && exit 2; }
from=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
flags="$(ccafe cflags) -O2 -g -Wall -Wextra -ffp-contract=off ${FLAGS:-}"
for port in matrix preconditioner solver; do
    cp "$from/${port}_port.h" .
    proxygen "${port}_port.h"
    eval "${CC:-cc} -shared $flags -I. ${port}_port_proxy.c -o ${port}_port_proxy.so"
done
for file in "$from"/*.c; do
    eval "${CC:-cc} -shared $flags -I. \"\$file\" -o $(basename "$file" .c).so -lm"
done
for file in "$from"/*.cc; do
    eval "${CXX:-c++} -std=c++17 -shared $flags -I. \"\$file\" -o $(basename "$file" .cc).so"
done
# Fortran cannot give a C name to a variable that holds addresses.
for file in "$from"/*.f90; do
    class=$(basename "$file" .f90)
    eval "${FC:-gfortran} -O2 -g -Wall -Wno-unused-dummy-argument -fPIC ${FLAGS:-} -c \"\$file\" -o $class.o"
    objcopy --redefine-sym "__$(echo "$class" | tr '[:upper:]' '[:lower:]')_MOD_cca_class=cca_class" "$class.o"
    eval "${FC:-gfortran} -shared ${FLAGS:-} $class.o -o $class.so"
done
rm -f ./*.o ./*.mod
cp "$from/solver.rc" .
