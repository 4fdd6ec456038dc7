#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Handles that are proposed: integers of a type of their own, and pointers that are written through an
# address. What is proposed is interposed as it is, and compared with what the program did.
. "$(dirname "$0")/../headers/headers.sh"
proposes() { # LINE: it stands in what was proposed
    grep -qF -- "$1" proposal || fail "no '$1' in: $(cat proposal)"
}

# --- HDF5: one type of integers for everything, told apart by what ends them
hdf5="/usr/include/hdf5/serial/hdf5.h -I /usr/include/hdf5/serial"
functions=H5Screate_simple,H5Dcreate2,H5Dwrite,H5Dread,H5Dclose,H5Sclose,H5Fcreate,H5Fclose
# shellcheck disable=SC2086
proxygen --interpose $hdf5 --functions $functions --suggest > proposal || fail "HDF5"
proposes "remember dims[0] * (rank > 1 ? dims[1] : 1) * (rank > 2 ? dims[2] : 1) as work on return # a handle, made of this size"
proposes "remember recall work on space_id as work on return # a handle made from another handle"
[ "$(grep -c 'param work = recall work on dset_id # remembered when the handle was made' proposal)" = 2 ] || fail "$(cat proposal)"
proposes "forget dset_id"
proposes "forget space_id"
grep -q 'forget file_id' proposal && fail "a handle of which nothing is known is forgotten: $(cat proposal)"

# --- SQLite: what was made is written through an address
proxygen --interpose /usr/include/sqlite3.h --suggest \
    --functions sqlite3_open,sqlite3_close,sqlite3_prepare_v2,sqlite3_step,sqlite3_finalize > proposal || fail "SQLite"
proposes "remember nByte as work on *ppStmt  # a handle, made of this size"
proposes "param work = recall work on arg1   # remembered when the handle was made"
proposes "forget pStmt                       # by its name the function ends the handle"
grep -q 'ppDb' proposal && fail "a handle without a size: $(cat proposal)"

# --- What looks like it and is none
cat > near.h << 'END'
#include <stddef.h>
#include <sys/types.h>
typedef int ticket;
typedef struct box *box;
int count_open(int n);
void count_close(int number);
size_t heap_make(size_t n);
void heap_close(size_t length);
ticket Ticket_Get(int n);
void Ticket_Send(ticket t);
int box_make(const char *name, int n, const box *from, box *const *none);
void box_destroy(box b);
END
proxygen --interpose near.h --functions '*' --suggest > proposal || fail "near.h"
grep -q 'remember\|recall\|forget' proposal && fail "$(cat proposal)"
printf '%s\n' 'typedef int ticket;' 'typedef struct box *box;' 'ticket ticket_make(int length);' 'int ticket_use(ticket t, ticket other);' \
    'void ticket_close(ticket t);' 'int box_make(int n_rows, box *made);' 'double box_sum(box b);' 'void box_destroy(box b);' > own.h
proxygen --interpose own.h --functions '*' --suggest > proposal || fail "own.h"
proposes "remember length as work on return"
proposes "param work = recall work on t "
proposes "remember n_rows as work on *made"
proposes "param work = recall work on b "
proposes "forget b "
needs_preload
# What HDF5 needs waits for itself when a program ends that the address sanitizer is preloaded into.
[ "$BUILD" = asan ] && finish

# --- As they are proposed
cat > fields.c << 'END'
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    static double field[4096];
    hid_t file = H5Fcreate("fields.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < 12; i++) {
        hsize_t shape[] = {(hsize_t)(1 + i), 8, 3};
        int rank = 1 + i % 3;
        hid_t space = H5Screate_simple(rank, shape, NULL), set;
        char name[20];
        snprintf(name, sizeof name, "field%d", i);
        set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, field);
        printf("%d\n", (1 + i) * (rank > 1 ? 8 : 1) * (rank > 2 ? 3 : 1));
        H5Dclose(set);
        H5Sclose(space);
    }
    return H5Fclose(file) < 0;
}
END
# shellcheck disable=SC2046
$CC -O1 -o fields fields.c $(pkg-config --cflags --libs hdf5-serial) || fail "fields"
# shellcheck disable=SC2086
proxygen --interpose $hdf5 --functions $functions -o hproxy 2> said || fail "$(cat said)"
timeout 60 mastermind record --proxy hproxy -o fields.mm -- ./fields > told 2> said || fail "fields: $(cat said)"
mastermind records fields.mm | python3 -c 'import csv, sys
print(*[r["p.work"] for r in csv.DictReader(sys.stdin) if r["method"] == "H5Dwrite"], sep="\n")' > found
cmp told found || fail "elements: $(paste told found)"
finish
