#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Libraries of the system, the C library among them, from their headers as Debian ships them.
. "$(dirname "$0")/headers/headers.sh"
needs_preload

multiarch=$(${CC:-cc} -print-multiarch)
library curl /usr/include/"$multiarch"/curl/curl.h "" -lcurl
library evp /usr/include/openssl/evp.h "" -lcrypto
library ffi /usr/include/"$multiarch"/ffi.h "" -lffi
# The address sanitizer has functions of the C library itself.
[ "${BUILD:-release}" != asan ] || { finish && exit; }
library libc "$here/libc.h" "" "" -I"$here"
finish
