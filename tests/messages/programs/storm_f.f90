! SPDX-License-Identifier: BSD-3-Clause
! storm_f.f90: ways to send and receive, as Fortran calls them (use mpi). Each message carries its
! communicator, source, tag and number in its channel; a receive checks that it has got the next
! one. Rank 0 prints what was sent: `pair FROM TO messages N bytes N`, as the programs in
! bench/messages. Exit 0: all came in order; else MPI_Abort with 1.
!
!   mpirun -n N storm_f [ROUNDS]      2 to 32 ranks, 40 rounds
program storm_f
  use mpi
  implicit none
  integer, parameter :: world = 0, half = 1, tags = 4, head = 4, most = 64, ranks_most = 32
  integer :: rank, ranks, error, round, rounds, comms(0:1), place(0:1), members(0:1)
  integer :: sent(0:ranks_most - 1, tags, 0:1), got(0:ranks_most - 1, tags, 0:1)
  integer :: messages(0:ranks_most - 1), bytes(0:ranks_most - 1)
  character(len=20) :: word

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  rounds = 40
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) rounds
  end if
  comms(world) = MPI_COMM_WORLD
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), -rank, comms(half), error)
  call MPI_Comm_rank(comms(half), place(half), error)
  call MPI_Comm_size(comms(half), members(half), error)
  place(world) = rank
  members(world) = ranks
  sent = 0
  got = 0
  messages = 0
  bytes = 0
  do round = 1, rounds
    call ring(modulo(round, 2))
    call to_one(modulo(round, ranks))
    call shift(modulo(round / 2, 2))
    call persistent()
    call one_after_another()
  end do
  call MPI_Comm_free(comms(half), error)
  call print_pairs()
  if (rank == 0) print '(a)', 'storm_f: verified'
  call MPI_Finalize(error)
contains
  ! The rank in MPI_COMM_WORLD: the half's ranks are in descending order.
  integer function world_of(comm, member)
    integer, intent(in) :: comm, member
    world_of = member
    if (comm == half) world_of = 2 * (members(half) - 1 - member) + modulo(rank, 2)
  end function

  integer function next_of(comm, step)
    integer, intent(in) :: comm, step
    next_of = modulo(place(comm) + step, members(comm))
  end function

  ! Fill a message to a member; returns its length in integers.
  integer function fill(message, comm, member, tag)
    integer, intent(out) :: message(:)
    integer, intent(in) :: comm, member, tag
    integer :: other
    other = world_of(comm, member)
    fill = head + modulo(7 * sent(other, tag, comm) + tag, most - head)
    message = 1000 * tag + sent(other, tag, comm)
    message(1:head) = [comm, rank, tag, sent(other, tag, comm)]
    sent(other, tag, comm) = sent(other, tag, comm) + 1
    messages(other) = messages(other) + 1
    bytes(other) = bytes(other) + 4 * fill
  end function

  subroutine check(message, comm, member, tag)
    integer, intent(in) :: message(:), comm, member, tag
    integer :: other, length, ignored
    other = world_of(comm, member)
    length = head + modulo(7 * got(other, tag, comm) + tag, most - head)
    if (any(message(1:head) /= [comm, other, tag, got(other, tag, comm)]) .or. &
        message(length) /= merge(1000 * tag + got(other, tag, comm), message(length), length > head)) then
      print '(a,i0,a,4i6,a,4i6)', 'storm_f: rank ', rank, ' found ', message(1:head), ', expected ', &
        comm, other, tag, got(other, tag, comm)
      call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
    end if
    got(other, tag, comm) = got(other, tag, comm) + 1
  end subroutine

  ! Nonblocking around a ring, all tags at once, completed together.
  subroutine ring(comm)
    integer, intent(in) :: comm
    integer, asynchronous :: out(most, tags), in(most, tags)
    integer :: requests(2 * tags), tag, length
    do tag = 1, tags
      call MPI_Irecv(in(:, tag), most, MPI_INTEGER, next_of(comm, -1), tag, comms(comm), requests(tag), error)
    end do
    do tag = tags, 1, -1
      length = fill(out(:, tag), comm, next_of(comm, 1), tag)
      call MPI_Isend(out(:, tag), length, MPI_INTEGER, next_of(comm, 1), tag, comms(comm), requests(tags + tag), error)
    end do
    call MPI_Waitall(2 * tags, requests, MPI_STATUSES_IGNORE, error)
    do tag = 1, tags
      call check(in(:, tag), comm, next_of(comm, -1), tag)
    end do
  end subroutine

  ! All send to one, which takes what comes; before and after a barrier, so that nothing else comes.
  subroutine to_one(root)
    integer, intent(in) :: root
    integer, asynchronous :: message(most)
    integer :: status(MPI_STATUS_SIZE), tag, i, request
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (rank /= root) then
      do tag = 1, tags
        i = fill(message, world, root, tag)
        call MPI_Send(message, i, MPI_INTEGER, root, tag, MPI_COMM_WORLD, error)
      end do
    else
      do i = 1, (ranks - 1) * tags
        if (modulo(i, 2) == 0) then
          call MPI_Recv(message, most, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
        else
          call MPI_Irecv(message, most, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, request, error)
          call MPI_Wait(request, status, error)
        end if
        call check(message, world, status(MPI_SOURCE), status(MPI_TAG))
      end do
    end if
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine

  subroutine shift(comm)
    integer, intent(in) :: comm
    integer :: out(most), in(most), length, step
    do step = 1, 3
      length = fill(out, comm, next_of(comm, step), 2)
      call MPI_Sendrecv(out, length, MPI_INTEGER, next_of(comm, step), 2, in, most, MPI_INTEGER, &
        next_of(comm, -step), 2, comms(comm), MPI_STATUS_IGNORE, error)
      call check(in, comm, next_of(comm, -step), 2)
    end do
  end subroutine

  subroutine persistent()
    integer, asynchronous :: out(most), in(most)
    integer :: requests(2), turn, ignored, index, done
    logical :: flag
    call MPI_Recv_init(in, most, MPI_INTEGER, next_of(world, -1), 3, MPI_COMM_WORLD, requests(1), error)
    call MPI_Send_init(out, most, MPI_INTEGER, next_of(world, 1), 3, MPI_COMM_WORLD, requests(2), error)
    do turn = 1, 3
      ignored = fill(out, world, next_of(world, 1), 3)
      bytes(next_of(world, 1)) = bytes(next_of(world, 1)) + 4 * (most - ignored)
      call MPI_Startall(2, requests, error)
      done = 0
      do while (done < 2)
        call MPI_Testany(2, requests, index, flag, MPI_STATUS_IGNORE, error)
        if (flag .and. index /= MPI_UNDEFINED) done = done + 1
      end do
      call check(in, world, next_of(world, -1), 3)
    end do
    call MPI_Request_free(requests(1), error)
    call MPI_Request_free(requests(2), error)
  end subroutine

  ! Blocking along the ranks: each sends on what it has got from the one before.
  subroutine one_after_another()
    integer :: message(most), length, status(MPI_STATUS_SIZE)
    if (rank > 0) then
      call MPI_Probe(rank - 1, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
      call MPI_Recv(message, most, MPI_INTEGER, rank - 1, status(MPI_TAG), MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call check(message, world, rank - 1, 1)
    end if
    if (rank + 1 < ranks) then
      length = fill(message, world, rank + 1, 1)
      call MPI_Ssend(message, length, MPI_INTEGER, rank + 1, 1, MPI_COMM_WORLD, error)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine

  subroutine print_pairs()
    integer :: all_messages(0:ranks_most - 1, 0:ranks_most - 1), all_bytes(0:ranks_most - 1, 0:ranks_most - 1)
    integer :: from, to
    call MPI_Gather(messages, ranks_most, MPI_INTEGER, all_messages, ranks_most, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    call MPI_Gather(bytes, ranks_most, MPI_INTEGER, all_bytes, ranks_most, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    if (rank /= 0) return
    do from = 0, ranks - 1
      do to = 0, ranks - 1
        if (all_messages(to, from) > 0) &
          print '(a,i0,1x,i0,a,i0,a,i0)', 'pair ', from, to, ' messages ', all_messages(to, from), &
            ' bytes ', all_bytes(to, from)
      end do
    end do
  end subroutine
end program
