#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What is proposed for functions of public headers, which nobody here named; and that a proposal is a
# sidecar, of which the same code is made.
. "$(dirname "$0")/../headers/headers.sh"

printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\n: > "$2"\n' > quick && chmod +x quick
multiarch=$(gcc -print-multiarch)

# suggests HEADER FUNCTION LINES [FLAGS...]: the proposal has these lines, ';' between, without reasons,
# and no others.
suggests() {
    local header=$1 function=$2 lines=$3 found
    shift 3
    found=$(timeout 60 proxygen --interpose "$header" --functions "$function" "$@" --suggest |
        awk '$1 != "#" && NR > 3 { sub(/ +#.*/, ""); sub(/^ +/, ""); gsub(/ +/, " "); printf "%s%s", sep, $0; sep = "; " }')
    [ "$found" = "$lines" ] || fail "$function: '$found' instead of '$lines'"
}
suggests /usr/include/zlib.h deflate 'param strm_avail_in = strm->avail_in; param strm_avail_out = strm->avail_out; mode flush'
suggests /usr/include/zlib.h deflateInit2_ 'mode level; mode method; mode windowBits; mode memLevel; mode strategy; param stream_size'
suggests /usr/include/zlib.h compress2 'out destLen = *destLen; param sourceLen; mode level'
suggests /usr/include/zlib.h zlibVersion ''
suggests /usr/include/bzlib.h BZ2_bzCompress 'param strm_avail_in = strm->avail_in; param strm_avail_out = strm->avail_out'
suggests /usr/include/lz4.h LZ4_compress_fast 'param srcSize; param dstCapacity; mode acceleration'
suggests /usr/include/zstd.h ZSTD_compress 'param dstCapacity; param srcSize; mode compressionLevel; out returned = return'
suggests /usr/include/"$multiarch"/cblas.h cblas_dgemm 'mode layout; mode TransA; mode TransB; param M; param N; param K; param lda; param ldb; param ldc; param work = M * N * K'
suggests /usr/include/lapack.h dgetrf_ 'param m = *m; param n = *n; param lda = *lda; param work = *m * *n'
suggests /usr/include/lapack.h dsyev_ 'mode jobz = *jobz; mode uplo = *uplo; param n = *n; param lda = *lda'
suggests /usr/include/fftw3.h fftw_plan_dft_2d 'param n0; param n1; mode sign; mode flags; param work = n0 * n1'
suggests /usr/include/gsl/gsl_blas.h gsl_blas_ddot 'param X_size = X->size; param Y_size = Y->size'
suggests /usr/include/gsl/gsl_integration.h gsl_integration_qag 'param limit'
suggests /usr/include/sqlite3.h sqlite3_prepare_v2 'param nByte'
suggests /usr/include/jansson.h json_dumpb 'param size; mode flags; out returned = return'
suggests /usr/include/expat.h XML_Parse 'param len; mode isFinal'
suggests /usr/include/png.h png_set_IHDR 'param width; param height; mode bit_depth; mode color_type; mode interlace_method; mode compression_method; mode filter_method; param work = width * height'
suggests /usr/include/openssl/evp.h PKCS5_PBKDF2_HMAC 'param passlen; param saltlen; param iter; param keylen'
suggests /usr/include/stdlib.h qsort 'param __nmemb; param __size; param work = __nmemb * __size'
suggests /usr/include/stdio.h fwrite 'param __size; param __n; param work = __n * __size'
suggests /usr/include/unistd.h read 'param __nbytes; out returned = return'
suggests /usr/include/hdf5/serial/hdf5.h H5Screate_simple 'param rank; param dims = *dims' -I/usr/include/hdf5/serial
suggests /usr/include/math.h hypot ''
suggests /usr/include/fftw3.h fftw_plan_dft_1d,fftw_execute,fftw_destroy_plan 'param n; mode sign; mode flags; remember n as work on return; function fftw_execute; param work = recall work on p; function fftw_destroy_plan; forget p'
suggests /usr/include/gsl/gsl_integration.h gsl_integration_cquad_workspace_alloc,gsl_integration_cquad,gsl_integration_cquad_workspace_free 'param n; remember n as work on return; function gsl_integration_cquad; param work = recall work on ws; function gsl_integration_cquad_workspace_free; forget w'
suggests /usr/include/jansson.h json_array,json_stringn,json_array_clear,json_delete 'function json_stringn; param len; function json_array_clear; function json_delete'

# What a call sets itself is proposed in no comment, too; a function without any mark has a line that says so.
proxygen --interpose /usr/include/zlib.h --functions inflateInit_,zlibVersion --suggest >said
grep -q 'strm' said && fail "members that inflateInit_ sets: $(cat said)"
grep -A1 '^function zlibVersion' said | grep -q 'nothing is marked: a model is one cost for all calls' || fail "$(cat said)"

# Traits of other libraries' headers, in a header of our own.
cat > traits.h << 'END'
#include <stddef.h>
struct held { int refcount, ref_count, nRef, n_cells; };
typedef long cell_size;
struct grid { int rows, cols, kind; };
int grid_turn(const struct grid *a, const struct grid *b, int flags);
int grid_cut(const struct grid *a, int m, int n);
int grid_put(double *, cell_size, cell_size);
int ask(int id, long *lenp, const int *countp, int *stop, int *np);
int key_make(int bits, int nparams, int bones, int nsecs);
int wait_for(int fd, int maxevents, int max_len, int timeout);
int put(void *to, const void *from, size_t, size_t);
int show(const struct held *held);
int list_make(int *count);
int list_free(int *count);
int parse(const char *text, const char *file_name);
int parse_some(const char *text, int len);
int solve(char jobvl, char compz, int n, int ldz, int samples);
END
suggests traits.h grid_turn 'param a_rows = a->rows; param a_cols = a->cols; param b_rows = b->rows; param b_cols = b->cols; mode flags; param work = a->rows * a->cols' -I.
suggests traits.h grid_cut 'param a_rows = a->rows; param a_cols = a->cols; param m; param n; param work = m * n' -I.
suggests traits.h grid_put 'param arg2; param arg3' -I.
suggests traits.h ask 'out lenp = *lenp; param countp = *countp; out np = *np' -I.
suggests traits.h key_make 'param bits; param nparams' -I.
suggests traits.h wait_for 'param maxevents; param max_len' -I.
suggests traits.h put 'param arg3; param arg4' -I.
suggests traits.h show 'param held_n_cells = held->n_cells' -I.
suggests traits.h list_make 'out count = *count' -I.
suggests traits.h list_free '' -I.
suggests traits.h solve 'mode jobvl; mode compz; param n; param ldz; param samples' -I.
proxygen --interpose traits.h -I. --functions 'parse*' --suggest > said
[ "$(grep -c '# param' said)" = 1 ] && grep -q '^    # param text_length = strlen(text) ' said ||
    fail "texts: $(cat said)"
sed 's/# param text_length/param text_length/' said > parse.perf
CC=$PWD/quick proxygen --interpose traits.h -I. --functions 'parse*' --sidecar parse.perf -o parse || fail "texts as a sidecar"

# Without a sidecar, and with what is proposed as one.
same() { # HEADER PATTERN
    local name
    name=$(basename "$1" .h)
    CC=$PWD/quick timeout 60 proxygen --interpose "$1" --functions "$2" -o own 2> said || fail "$name: $(tail -n 1 said)"
    timeout 60 proxygen --interpose "$1" --functions "$2" --suggest > "$name.perf" 2> said || fail "$name: $(tail -n 1 said)"
    CC=$PWD/quick timeout 60 proxygen --interpose "$1" --functions "$2" --sidecar "$name.perf" -o given 2> said ||
        fail "$name: $(tail -n 1 said)"
    cmp "own/${name}_interpose.c" "given/${name}_interpose.c" || fail "$name: the proposal gives other code"
}
same /usr/include/zlib.h '*'
same /usr/include/"$multiarch"/cblas.h '*'
same /usr/include/fftw3.h 'fftw_*'
same /usr/include/sqlite3.h '*'
same /usr/include/png.h '*'
same /usr/include/stdlib.h '*'
finish
