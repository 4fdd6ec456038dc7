! SPDX-License-Identifier: BSD-3-Clause
! calls_f.F90: every way to send, receive and complete that Fortran has, `use mpi` or (-DF08) `use mpi_f08`.
!
! The k-th message of a channel has 1 + mod(k, 1000) integers, the first of which is k. What comes is
! checked, sources and tags of statuses too. At the end each rank prints 'channel FROM TO TAG COUNT' for what
! it has sent.
#ifdef F08
#define REQUEST type(MPI_Request)
#define COMM type(MPI_Comm)
#define MESSAGE type(MPI_Message)
#define STATUS(x) type(MPI_Status) :: x
#define STATUSES(x, n) type(MPI_Status) :: x(n)
#define SOURCE(x) x%MPI_SOURCE
#define TAG(x) x%MPI_TAG
#define ONE_OF(x, i) x(i)
#else
#define REQUEST integer
#define COMM integer
#define MESSAGE integer
#define STATUS(x) integer :: x(MPI_STATUS_SIZE)
#define STATUSES(x, n) integer :: x(MPI_STATUS_SIZE, n)
#define SOURCE(x) x(MPI_SOURCE)
#define TAG(x) x(MPI_TAG)
#define ONE_OF(x, i) x(:, i)
#endif
module calls
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer, parameter :: each = 3, room = 1000, tags = 40, ranks_most = 8
  integer, parameter :: sends = 12, completions = 18, receives = 4, blocking = 6
  integer :: rank, ranks, error, next, before
  integer :: base ! of indices: 0 in mpi_f08 of MPICH 4.0
  integer :: sent(0:tags, 0:ranks_most), got(0:tags, 0:ranks_most)
  integer :: out(room, each), in(room, each * ranks_most)
contains
  subroutine require(ok, what)
    logical, intent(in) :: ok
    character(len=*), intent(in) :: what
    if (ok) return
    print '(a, i0, 2a)', 'rank ', rank, ': not so: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, error)
  end subroutine

  ! Fill the payload of the next message; its length.
  integer function fill(to, which, payload)
    integer, intent(in) :: to, which
    integer, intent(out) :: payload(room)
    integer :: k
    k = sent(which, to)
    sent(which, to) = k + 1
    fill = 1 + mod(k, room)
    payload = which * 1000000 + k
    payload(1) = k
  end function

  ! The next message of the channel must be this one.
  subroutine arrived(from, which, payload)
    integer, intent(in) :: from, which, payload(room)
    integer :: k, n
    k = got(which, from)
    got(which, from) = k + 1
    n = 1 + mod(k, room)
    if (payload(1) /= k) print *, rank, ': from', from, 'tag', which, 'got', payload(1), 'expected', k
    call require(payload(1) == k, 'serial')
    call require(all(payload(2:n) == which * 1000000 + k), 'payload')
  end subroutine

  subroutine checked(from, which, payload, state)
    integer, intent(in) :: from, which, payload(room)
    STATUS(state)
    integer :: n
    call require(SOURCE(state) == from .and. TAG(state) == which, 'source and tag of a status')
    call MPI_Get_count(state, MPI_INTEGER, n, error)
    call require(n == 1 + mod(got(which, from), room), 'length of a status')
    call arrived(from, which, payload)
  end subroutine

  subroutine send(kind, which, i, request)
    integer, intent(in) :: kind, which, i
    REQUEST, intent(out) :: request
    integer :: n
    n = fill(next, which, out(:, i))
    request = MPI_REQUEST_NULL
    select case (kind)
    case (1)
      call MPI_Send(out(1, i), n, MPI_INTEGER, next, which, MPI_COMM_WORLD, error)
    case (2)
      call MPI_Bsend(out(1, i), n, MPI_INTEGER, next, which, MPI_COMM_WORLD, error)
    case (3)
      call MPI_Ssend(out(1, i), n, MPI_INTEGER, next, which, MPI_COMM_WORLD, error)
    case (4)
      call MPI_Rsend(out(1, i), n, MPI_INTEGER, next, which, MPI_COMM_WORLD, error)
    case (5)
      call MPI_Isend(out(1, i), n, MPI_INTEGER, next, which, MPI_COMM_WORLD, request, error)
    case (6)
      call MPI_Ibsend(out(1, i), n, MPI_INTEGER, next, which, MPI_COMM_WORLD, request, error)
    case (7)
      call MPI_Issend(out(1, i), n, MPI_INTEGER, next, which, MPI_COMM_WORLD, request, error)
    case (8)
      call MPI_Irsend(out(1, i), n, MPI_INTEGER, next, which, MPI_COMM_WORLD, request, error)
    case (9)
      call MPI_Send_init(out(1, i), n, MPI_INTEGER, next, which, MPI_COMM_WORLD, request, error)
    case (10)
      call MPI_Bsend_init(out(1, i), n, MPI_INTEGER, next, which, MPI_COMM_WORLD, request, error)
    case (11)
      call MPI_Ssend_init(out(1, i), n, MPI_INTEGER, next, which, MPI_COMM_WORLD, request, error)
    case (12)
      call MPI_Rsend_init(out(1, i), n, MPI_INTEGER, next, which, MPI_COMM_WORLD, request, error)
    end select
    if (kind >= 9) call MPI_Start(request, error)
  end subroutine

  ! Complete requests in one of the ways; statuses of those with even numbers are ignored.
  subroutine complete(kind, n, requests, states)
    integer, intent(in) :: kind, n
    REQUEST, intent(inout) :: requests(n)
    STATUSES(states, n)
    STATUSES(some, n)
    integer :: i, j, ready, which(n)
    logical :: done
    STATUS(one)
    select case (kind)
    case (1, 2)
      do i = n, 1, -1
        if (kind == 1) call MPI_Wait(requests(i), ONE_OF(states, i), error)
        if (kind == 2) call MPI_Wait(requests(i), MPI_STATUS_IGNORE, error)
      end do
    case (3)
      call MPI_Waitall(n, requests, states, error)
    case (4)
      call MPI_Waitall(n, requests, MPI_STATUSES_IGNORE, error)
    case (5, 6)
      do i = 1, n
        if (kind == 5) call MPI_Waitany(n, requests, j, one, error)
        if (kind == 6) call MPI_Waitany(n, requests, j, MPI_STATUS_IGNORE, error)
        j = j + 1 - base
        if (j > 0) ONE_OF(states, j) = one
      end do
    case (7, 8)
      do i = 1, n
        if (kind == 7) call MPI_Waitsome(n, requests, ready, which, some, error)
        if (kind == 8) call MPI_Waitsome(n, requests, ready, which, MPI_STATUSES_IGNORE, error)
        if (ready == MPI_UNDEFINED) exit
        do j = 1, ready
          ONE_OF(states, which(j) + 1 - base) = ONE_OF(some, j)
        end do
      end do
    case (9, 10)
      do i = 1, n
        done = .false.
        do while (.not. done)
          if (kind == 9) call MPI_Test(requests(i), done, ONE_OF(states, i), error)
          if (kind == 10) call MPI_Test(requests(i), done, MPI_STATUS_IGNORE, error)
        end do
      end do
    case (11, 12)
      done = .false.
      do while (.not. done)
        if (kind == 11) call MPI_Testall(n, requests, done, states, error)
        if (kind == 12) call MPI_Testall(n, requests, done, MPI_STATUSES_IGNORE, error)
      end do
    case (13, 14)
      do
        if (kind == 13) call MPI_Testany(n, requests, j, done, one, error)
        if (kind == 14) call MPI_Testany(n, requests, j, done, MPI_STATUS_IGNORE, error)
        j = j + 1 - base
        if (done .and. j < 1) exit ! MPICH 4.0 says 1 + MPI_UNDEFINED
        if (done) ONE_OF(states, j) = one
      end do
    case (15, 16)
      do
        if (kind == 15) call MPI_Testsome(n, requests, ready, which, some, error)
        if (kind == 16) call MPI_Testsome(n, requests, ready, which, MPI_STATUSES_IGNORE, error)
        if (ready == MPI_UNDEFINED) exit
        do j = 1, ready
          ONE_OF(states, which(j) + 1 - base) = ONE_OF(some, j)
        end do
      end do
    case (17, 18)
      do i = n, 1, -1
        done = .false.
        do while (.not. done)
          if (kind == 17) call MPI_Request_get_status(requests(i), done, one, error)
          if (kind == 18) call MPI_Request_get_status(requests(i), done, MPI_STATUS_IGNORE, error)
          if (kind == 18) exit ! Open MPI 4.1 never says yes to those who ignore the status
        end do
        call MPI_Wait(requests(i), ONE_OF(states, i), error)
      end do
    end select
  end subroutine

  subroutine find_base
    REQUEST :: nothing(1)
    call MPI_Irecv(in, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, nothing(1), error)
    call MPI_Waitany(1, nothing, base, MPI_STATUS_IGNORE, error)
  end subroutine

  subroutine post(kind, which, i, request)
    integer, intent(in) :: kind, which, i
    REQUEST, intent(out) :: request
    select case (kind)
    case (1)
      call MPI_Irecv(in(1, i), room, MPI_INTEGER, before, which, MPI_COMM_WORLD, request, error)
    case (2)
      call MPI_Irecv(in(1, i), room, MPI_INTEGER, MPI_ANY_SOURCE, which, MPI_COMM_WORLD, request, error)
    case (3)
      call MPI_Irecv(in(1, i), room, MPI_INTEGER, before, MPI_ANY_TAG, MPI_COMM_WORLD, request, error)
    case (4)
      call MPI_Recv_init(in(1, i), room, MPI_INTEGER, before, which, MPI_COMM_WORLD, request, error)
      call MPI_Start(request, error)
    end select
  end subroutine

  ! Requests of receives, and of the sends of one kind, completed in one way, all at once or each for itself.
  subroutine posted_round(receive, kind, completion)
    integer, intent(in) :: receive, kind, completion
    REQUEST :: requests(2 * each)
    STATUSES(states, 2 * each)
    integer :: i
    do i = 1, each
      call post(receive, kind, i, requests(i))
    end do
    call MPI_Barrier(MPI_COMM_WORLD, error)
    do i = 1, each
      call send(kind, kind, i, requests(each + i))
    end do
    call complete(completion, 2 * each, requests, states)
    do i = 1, each
      if (mod(completion, 2) == 1) then
        call checked(before, kind, in(:, i), ONE_OF(states, i))
      else
        call arrived(before, kind, in(:, i))
      end if
    end do
    do i = 1, 2 * each
      if (requests(i) /= MPI_REQUEST_NULL) call MPI_Request_free(requests(i), error)
    end do
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine

  subroutine receive_now(kind, which)
    integer, intent(in) :: kind, which
    STATUS(state)
    MESSAGE :: message
    REQUEST :: request
    logical :: there
    there = .false.
    select case (kind)
    case (1)
      call MPI_Recv(in(1, 1), room, MPI_INTEGER, before, which, MPI_COMM_WORLD, state, error)
    case (2)
      call MPI_Recv(in(1, 1), room, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call arrived(before, which, in(:, 1))
      return
    case (3)
      call MPI_Probe(MPI_ANY_SOURCE, which, MPI_COMM_WORLD, state, error)
      call MPI_Recv(in(1, 1), room, MPI_INTEGER, SOURCE(state), which, MPI_COMM_WORLD, state, error)
    case (4)
      call MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE, error)
      call MPI_Mrecv(in(1, 1), room, MPI_INTEGER, message, state, error)
      call require(message == MPI_MESSAGE_NULL, 'message after Mrecv')
    case (5)
      do while (.not. there)
        call MPI_Improbe(before, which, MPI_COMM_WORLD, there, message, state, error)
      end do
      call MPI_Imrecv(in(1, 1), room, MPI_INTEGER, message, request, error)
      call MPI_Wait(request, state, error)
    case (6)
      do while (.not. there)
        call MPI_Iprobe(before, MPI_ANY_TAG, MPI_COMM_WORLD, there, MPI_STATUS_IGNORE, error)
      end do
      call MPI_Recv(in(1, 1), room, MPI_INTEGER, before, which, MPI_COMM_WORLD, state, error)
    end select
    call checked(before, which, in(:, 1), state)
  end subroutine

  ! Rank 0 receives first, all others send first: nobody waits in a circle.
  subroutine blocking_round(receive, kind)
    integer, intent(in) :: receive, kind
    REQUEST :: requests(each)
    integer :: i, turn
    do turn = 0, 1
      do i = 1, each
        if ((rank == 0) .eqv. (turn == 0)) then
          call receive_now(receive, kind)
        else
          call send(kind, kind, i, requests(i))
        end if
      end do
    end do
    call MPI_Waitall(each, requests, MPI_STATUSES_IGNORE, error)
    do i = 1, each
      if (requests(i) /= MPI_REQUEST_NULL) call MPI_Request_free(requests(i), error)
    end do
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine

  subroutine exchange_rounds
    integer, parameter :: which = 20, replaced = 21
    STATUS(state)
    integer :: i, n
    do i = 1, 5
      n = fill(next, which, out(:, 1))
      call MPI_Sendrecv(out, n, MPI_INTEGER, next, which, in, room, MPI_INTEGER, before, which, MPI_COMM_WORLD, &
                        state, error)
      call checked(before, which, in(:, 1), state)
      n = fill(next, which, out(:, 1))
      call MPI_Sendrecv(out, n, MPI_INTEGER, next, which, in, room, MPI_INTEGER, MPI_ANY_SOURCE, which, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call arrived(before, which, in(:, 1))
    end do
    do i = 1, 3
      n = fill(next, replaced, in(:, 1))
      call MPI_Sendrecv_replace(in, n, MPI_INTEGER, next, replaced, before, replaced, MPI_COMM_WORLD, state, error)
      call checked(before, replaced, in(:, 1), state)
      call MPI_Sendrecv(out, 1, MPI_INTEGER, MPI_PROC_NULL, which, in, room, MPI_INTEGER, MPI_PROC_NULL, which, &
                        MPI_COMM_WORLD, state, error)
      call require(SOURCE(state) == MPI_PROC_NULL, 'status of nobody')
    end do
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine

  ! Rank 0 gets from all others whichever comes first; receives that nobody answers are cancelled.
  subroutine many_to_one(completion)
    integer, intent(in) :: completion
    integer, parameter :: which = 22
    REQUEST :: requests(each * ranks_most), lost
    STATUSES(states, each * ranks_most)
    STATUS(state)
    integer :: i, n, total
    logical :: cancelled
    total = each * (ranks - 1)
    if (rank == 0) then
      call MPI_Irecv(in(1, total + 1), room, MPI_INTEGER, MPI_ANY_SOURCE, which, MPI_COMM_WORLD, lost, error)
      do i = 1, total
        call MPI_Irecv(in(1, i), room, MPI_INTEGER, MPI_ANY_SOURCE, which, MPI_COMM_WORLD, requests(i), error)
      end do
      call MPI_Cancel(lost, error)
      call MPI_Wait(lost, state, error)
      call MPI_Test_cancelled(state, cancelled, error)
      call require(cancelled, 'cancel of a receive before anything was sent')
    end if
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (rank == 0) then
      call complete(completion, total, requests, states)
      do i = 1, total
        state = ONE_OF(states, i)
        call checked(SOURCE(state), which, in(:, i), state)
      end do
    else
      do i = 1, each
        n = fill(0, which, out(:, 1))
        call MPI_Send(out, n, MPI_INTEGER, 0, which, MPI_COMM_WORLD, error)
      end do
    end if
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine

  ! A tag of its own for each communicator, so that its channels can be told.
  subroutine on_comm(where, which)
    COMM, intent(in) :: where
    integer, intent(in) :: which
    integer :: me, many, to, from, n, i, world(0:ranks_most)
    REQUEST :: requests(2)
    call MPI_Comm_rank(where, me, error)
    call MPI_Comm_size(where, many, error)
    call MPI_Allgather(rank, 1, MPI_INTEGER, world, 1, MPI_INTEGER, where, error)
    to = modulo(me + 1, many)
    from = modulo(me - 1, many)
    do i = 1, 4
      call MPI_Irecv(in, room, MPI_INTEGER, from, which, where, requests(1), error)
      n = fill(world(to), which, out(:, 1))
      call MPI_Isend(out, n, MPI_INTEGER, to, which, where, requests(2), error)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
      call arrived(world(from), which, in(:, 1))
    end do
  end subroutine

  subroutine comms
    COMM :: made, second
    integer :: dims(1)
    logical :: wraps(1)
    call MPI_Comm_dup(MPI_COMM_WORLD, made, error)
    call on_comm(made, 30)
    call MPI_Comm_split(made, mod(rank, 2), -rank, second, error)
    call on_comm(second, 31)
    call MPI_Comm_free(second, error)
    call MPI_Comm_free(made, error)
    dims = ranks
    wraps = .true.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, wraps, .false., made, error)
    call on_comm(made, 32)
    call MPI_Comm_free(made, error)
    call MPI_Comm_dup(MPI_COMM_WORLD, made, error)
    call on_comm(made, 33)
    call MPI_Comm_free(made, error)
  end subroutine

  subroutine startall
    integer, parameter :: which = 24
    REQUEST :: requests(2)
    STATUSES(states, 2)
    integer :: i, n
    do i = 1, 4
      n = fill(next, which, out(:, 1))
      call MPI_Recv_init(in, room, MPI_INTEGER, MPI_ANY_SOURCE, which, MPI_COMM_WORLD, requests(1), error)
      call MPI_Send_init(out, n, MPI_INTEGER, next, which, MPI_COMM_WORLD, requests(2), error)
      call MPI_Startall(2, requests, error)
      call MPI_Waitall(2, requests, states, error)
      call checked(before, which, in(:, 1), ONE_OF(states, 1))
      call MPI_Request_free(requests(1), error)
      call MPI_Request_free(requests(2), error)
    end do
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine
end module

program calls_f
  use calls
#ifdef F08
  use iso_c_binding, only: c_ptr
#endif
  implicit none
  integer, parameter :: buffered = 1000000
  character, save :: buffer(buffered)
  integer :: i, j, k, provided, size
#ifdef F08
  type(c_ptr) :: detached
#endif
  call MPI_Init_thread(MPI_THREAD_SINGLE, provided, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call require(ranks > 1 .and. ranks <= ranks_most, 'number of ranks')
  call find_base
  next = modulo(rank + 1, ranks)
  before = modulo(rank - 1, ranks)
  call MPI_Buffer_attach(buffer, buffered, error)
  do i = 1, sends
    do j = 1, completions
      call posted_round(1 + mod(i + j, receives), i, j)
    end do
    do j = 1, blocking
      if (i /= 4 .and. i /= 8 .and. i /= 12) call blocking_round(j, i)
    end do
  end do
  call exchange_rounds
  call startall
  do j = 1, completions, 2
    call many_to_one(j)
  end do
  call comms
#ifdef F08
  call MPI_Buffer_detach(detached, size, error)
#else
  call MPI_Buffer_detach(buffer, size, error)
#endif
  do i = 0, ranks - 1
    do k = 0, tags
      if (sent(k, i) > 0) print '(a, 4(1x, i0))', 'channel', rank, i, k, sent(k, i)
    end do
  end do
  call MPI_Finalize(error)
  if (rank == 0) print '(a)', 'all as expected'
end program
