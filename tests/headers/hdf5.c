/* SPDX-License-Identifier: BSD-3-Clause */
/* hdf5.c: calls of HDF5, whose objects are numbers, each told on standard output as the
 * records should have it. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static double numbers[40 * 60], back[40 * 60];
    hid_t file;

    if (argc < 2)
        return 2;
    for (int i = 0; i < 40 * 60; i++)
        numbers[i] = i;
    file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    printf("H5Fcreate flags=%u\n", H5F_ACC_TRUNC);
    for (hsize_t i = 1; i <= 40; i += 3) {
        hsize_t shape[] = {i, 60};
        hid_t space = H5Screate_simple(2, shape, NULL), set;
        char name[20];
        herr_t status;

        printf("H5Screate_simple rank=2 elements=%llu id=%lld\n", 60ull * i,
               (long long)space);
        snprintf(name, sizeof name, "set%d", (int)i);
        set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT,
                         H5P_DEFAULT);
        printf("H5Dcreate2 id=%lld\n", (long long)set);
        status = H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
        printf("H5Dwrite bytes=%llu elements=%llu status=%d\n", 8 * 60ull * i, 60ull * i,
               status);
        status = H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, back);
        printf("H5Dread elements=%llu status=%d\n", 60ull * i, status);
        if (back[i * 60 - 1] != numbers[i * 60 - 1])
            return 1;
        printf("H5Sget_simple_extent_npoints points=%lld\n",
               (long long)H5Sget_simple_extent_npoints(space));
        printf("H5Dclose status=%d\n", H5Dclose(set));
        if (i == 4) { /* what was remembered of it is forgotten */
            H5E_BEGIN_TRY
            {
                status =
                    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, back);
            }
            H5E_END_TRY
            printf("H5Dread elements= status=%d\n", status);
        }
        printf("H5Sclose status=%d\n", H5Sclose(space));
    }
    printf("H5Fclose status=%d\n", H5Fclose(file));
    return 0;
}
