! SPDX-License-Identifier: BSD-3-Clause
! calls.f90: MPI as Fortran calls it, strings and functions among it. What it gets must be right.
program calls
  use mpi
  implicit none
  integer :: rank, ranks, error, length, i, flag_length, request, status(MPI_STATUS_SIZE)
  integer :: values(4), sums(4), info, provided, kind
  logical :: there
  character(len=MPI_MAX_ERROR_STRING) :: text
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  character(len=20) :: value
  character(len=MPI_MAX_OBJECT_NAME) :: object
  double precision :: start
  integer(kind=MPI_ADDRESS_KIND) :: address

  call MPI_Init_thread(MPI_THREAD_SINGLE, provided, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  start = MPI_Wtime()
  values = rank + 1
  call MPI_Allreduce(values, sums, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check(all(sums == ranks * (ranks + 1) / 2), 'sum')
  call MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check(all(values == sums), 'sum in place')
  do i = 1, 5
    call MPI_Irecv(sums, 4, MPI_INTEGER, modulo(rank - 1, ranks), i, MPI_COMM_WORLD, request, error)
    values = 10 * rank + i
    call MPI_Send(values, 4, MPI_INTEGER, modulo(rank + 1, ranks), i, MPI_COMM_WORLD, error)
    call MPI_Wait(request, status, error)
    call check(sums(4) == 10 * modulo(rank - 1, ranks) + i, 'message')
    call check(status(MPI_TAG) == i, 'status')
  end do
  call MPI_Get_processor_name(name, length, error)
  call check(length > 0 .and. len_trim(name) == length, 'processor name')
  call MPI_Error_string(MPI_ERR_RANK, text, length, error)
  call check(length > 0 .and. len_trim(text) == length, 'words of an error')
  call MPI_Info_create(info, error)
  call MPI_Info_set(info, 'colour', 'deep red', error)
  call MPI_Info_get(info, 'colour', 20, value, there, error)
  call check(there .and. value == 'deep red', 'info')
  call MPI_Info_get_valuelen(info, 'colour', flag_length, there, error)
  call check(there .and. flag_length == 8, 'length of info')
  call MPI_Info_free(info, error)
  call MPI_Comm_set_name(MPI_COMM_WORLD, 'everybody', error)
  call MPI_Comm_get_name(MPI_COMM_WORLD, object, length, error)
  call check(object == 'everybody' .and. length == 9, 'name of a communicator')
  call MPI_Get_address(values, address, error)
  call check(address /= 0, 'address')
  call MPI_Type_size(MPI_DOUBLE_PRECISION, kind, error)
  call check(kind == 8, 'size of a type')
  call check(MPI_Wtime() >= start .and. MPI_Wtick() > 0, 'clock')
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
  if (rank == 0) print '(a)', 'all as expected'
contains
  subroutine check(ok, what)
    logical, intent(in) :: ok
    character(len=*), intent(in) :: what
    integer :: ignored
    if (ok) return
    print '(a, i0, 2a)', 'rank ', rank, ': not so: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
  end subroutine
end program
