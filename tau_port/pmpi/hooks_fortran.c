/* SPDX-License-Identifier: BSD-3-Clause */
/* hooks_fortran.c: what Fortran passes, as C has it. */
#include "tau_port/pmpi/hooks_fortran.h"

#include <string.h>
#include <sys/mman.h>

/* Not from the heap: a measured malloc would come back here. */
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

void pmpi_f_requests_end(struct pmpi_f_requests *room)
{
    if (room->mapped)
        munmap(room->requests, room->mapped);
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
