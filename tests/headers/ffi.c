/* SPDX-License-Identifier: BSD-3-Clause */
/* ffi.c: calls of libffi, each told on standard output as the records should have it. */
#include <ffi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 12 };

static double sum(double a, int b, double c, int d, double e, int f, double g, int h,
                  double i, int j, double k, int l)
{
    return a + b + c + d + e + f + g + h + i + j + k + l;
}

int main(void)
{
    ffi_type *types[MOST], *bad[] = {NULL};
    void *values[MOST];
    double reals[MOST], result;
    int whole[MOST];
    ffi_cif cif;
    ffi_status status;

    for (int i = 0; i < MOST; i++) {
        types[i] = i % 2 ? &ffi_type_sint : &ffi_type_double;
        values[i] = i % 2 ? (void *)&whole[i] : (void *)&reals[i];
    }
    for (unsigned n = 0; n <= MOST; n++) {
        status = ffi_prep_cif(&cif, FFI_DEFAULT_ABI, n, &ffi_type_double, types);
        printf("ffi_prep_cif abi=%d nargs=%u status=%d\n", (int)FFI_DEFAULT_ABI, n,
               (int)status);
    }
    status = ffi_prep_cif(&cif, (ffi_abi)99, 1, &ffi_type_double, bad);
    printf("ffi_prep_cif abi=99 nargs=1 status=%d\n", (int)status);
    status = ffi_prep_cif(&cif, FFI_DEFAULT_ABI, MOST, &ffi_type_double, types);
    printf("ffi_prep_cif abi=%d nargs=%u status=%d\n", (int)FFI_DEFAULT_ABI, MOST,
           (int)status);
    for (int i = 0; i < 20; i++) {
        for (int j = 0; j < MOST; j++)
            reals[j] = i * j, whole[j] = i;
        ffi_call(&cif, FFI_FN(sum), &result, values);
        printf("ffi_call nargs=%d size=8\n", MOST);
        if (result != i * (0 + 2 + 4 + 6 + 8 + 10) + 6 * i)
            exit(1);
    }
    return 0;
}
