! SPDX-License-Identifier: BSD-3-Clause
! stage_f.f90: two stages of stage.c in Fortran: Recv, and Waitall of a receive.
subroutine stage_fortran(which, rank)
    implicit none
    include 'mpif.h'
    integer :: which, rank, requests(1), statuses(MPI_STATUS_SIZE, 1), ierror, word
    word = 1
    if (rank == 0) then
        call MPI_Send(word, 1, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, ierror)
    else if (which == 12) then
        call MPI_Recv(word, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    else
        call MPI_Irecv(word, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, requests(1), ierror)
        call MPI_Waitall(1, requests, statuses, ierror)
    end if
end subroutine
