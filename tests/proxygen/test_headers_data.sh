#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Libraries that read and write data, from their headers as Debian ships them.
. "$(dirname "$0")/../headers/headers.sh"
needs_preload

library sqlite3 /usr/include/sqlite3.h "" -lsqlite3
library jansson /usr/include/jansson.h "" -ljansson
library expat /usr/include/expat.h "" -lexpat
library libxml2 "$here/libxml2.h" "" -lxml2 -I"$here" -I/usr/include/libxml2
library png /usr/include/png.h "" -lpng
# shellcheck disable=SC2046
library hdf5 /usr/include/hdf5/serial/hdf5.h "" "$(pkg-config --libs hdf5-serial)" -I/usr/include/hdf5/serial
tables tables "$here/tables.h" XML_Memory_Handling_Suite,cookie_io_functions_t,gsl_function "-lexpat -lgsl -lblas" \
    -I"$here"
finish
