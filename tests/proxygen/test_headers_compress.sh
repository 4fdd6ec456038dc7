#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Compression libraries, from their headers as Debian ships them.
. "$(dirname "$0")/../headers/headers.sh"
needs_preload

library zlib /usr/include/zlib.h "" -lz
library bzlib /usr/include/bzlib.h BZ2_bzBuffToBuffCompress,BZ2_bzBuffToBuffDecompress -lbz2
library lzma /usr/include/lzma.h lzma_easy_buffer_encode,lzma_stream_buffer_decode -llzma
library lz4 /usr/include/lz4.h LZ4_compress_fast,LZ4_decompress_safe -llz4
library zstd /usr/include/zstd.h ZSTD_compress,ZSTD_isError,ZSTD_decompress -lzstd
finish
