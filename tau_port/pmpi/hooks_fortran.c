/* SPDX-License-Identifier: BSD-3-Clause */
/* hooks_fortran.c: convert arguments of Fortran to C. */
#include "tau_port/pmpi/hooks_fortran.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

static int is_f08(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    return info->dlpi_name && strstr(info->dlpi_name, "usempif08") != NULL;
}

int pmpi_f08_unseen(void)
{
    return !pmpi_f08_wrapped && dl_iterate_phdr(is_f08, NULL);
}

/* Memory comes from mmap: a measured malloc would call the wrappers again. */
static MPI_Request *find_room(struct pmpi_f_requests *room, int count)
{
    void *memory;

    room->mapped = 0;
    if (count <= PMPI_F_REQUESTS)
        return room->own;
    memory = mmap(NULL, (size_t)count * sizeof(MPI_Request), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    room->mapped = (size_t)count * sizeof(MPI_Request);
    return memory;
}

MPI_Request *pmpi_f_requests(struct pmpi_f_requests *room, const void *handles, int count)
{
    const MPI_Fint *given = handles;

    room->requests = find_room(room, count);
    room->count = room->requests ? count : 0;
    for (int i = 0; i < room->count; i++)
        room->requests[i] = PMPI_Request_f2c(given[i]);
    return room->requests;
}

void pmpi_f_requests_again(struct pmpi_f_requests *room, const void *handles)
{
    const MPI_Fint *given = handles;

    for (int i = 0; i < room->count; i++)
        room->requests[i] = PMPI_Request_f2c(given[i]);
}

void pmpi_f_requests_end(struct pmpi_f_requests *room)
{
    if (room->mapped)
        munmap(room->requests, room->mapped);
}

/* The address of an object of MPICH's mpi_f08, or of an object of our own if it has
 * none. */
static const void *f08_object(const void **known, const char *name)
{
    const void *found = __atomic_load_n(known, __ATOMIC_RELAXED);

    if (found)
        return found;
    found = dlsym(RTLD_DEFAULT, name);
    if (!found)
        found = known;
    __atomic_store_n(known, found, __ATOMIC_RELAXED);
    return found;
}

int pmpi_f_ignores(const void *status)
{
    static const void *f08;

    return status == (void *)MPI_F_STATUS_IGNORE ||
           status == f08_object(&f08, "MPIR_F08_MPI_STATUS_IGNORE_OBJ");
}

int pmpi_f_ignores_all(const void *statuses)
{
    static const void *f08;

    return statuses == (void *)MPI_F_STATUSES_IGNORE ||
           statuses == f08_object(&f08, "MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
}

int pmpi_f08_first(int *known, pmpi_function function, enum pmpi_f_kind kind)
{
    typedef void five(void *, void *, void *, void *, void *);
    typedef void six(void *, void *, void *, void *, void *, void *);
    MPI_Fint count = 1, index = 1, other = 0, error = 0, handle;
    MPI_Request request;
    MPI_Status status;
    int first = __atomic_load_n(known, __ATOMIC_RELAXED);

    if (first >= 0 ||
        PMPI_Irecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request))
        return first >= 0 ? first : 1;
    handle = PMPI_Request_c2f(request);
    if (kind == PMPI_F_WAITANY)
        ((five *)function)(&count, &handle, &index, &status, &error);
    else if (kind == PMPI_F_TESTANY)
        ((six *)function)(&count, &handle, &index, &other, &status, &error);
    else
        ((six *)function)(&count, &handle, &other, &index, &status, &error);
    first = index == 0 ? 0 : 1;
    __atomic_store_n(known, first, __ATOMIC_RELAXED);
    return first;
}

int pmpi_f_done(int result, const void *outcount)
{
    const MPI_Fint *given = outcount;
    int class = MPI_SUCCESS;

    if (result != MPI_SUCCESS)
        PMPI_Error_class(result, &class);
    return class == MPI_SUCCESS || class == MPI_ERR_IN_STATUS ? *given : MPI_UNDEFINED;
}

int *pmpi_f_indices(void *indices, int count, int shift)
{
    int *all = indices;

    for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
        all[i] += shift;
    return all;
}

void pmpi_f_text(char text[PMPI_F_TEXT], const void *given, size_t length)
{
    const char *words = given;

    while (length && words[length - 1] == ' ')
        length--;
    if (length > PMPI_F_TEXT - 1)
        length = PMPI_F_TEXT - 1;
    memcpy(text, words, length);
    text[length] = 0;
}
