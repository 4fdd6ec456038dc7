! SPDX-License-Identifier: BSD-3-Clause
! IncompleteCholesky: a factor without fill-in, in Fortran.
!
!     M = L L^T, L with the entries of the lower triangle of A
!
! Y. Saad, Iterative Methods for Sparse Linear Systems (2003), section 10.3. The descriptor is
! data: pointers to scalars are addresses that the linker fills in. The build renames the
! module's variable to cca_class.
module IncompleteCholesky
    use iso_c_binding
    implicit none
    private

    integer, parameter :: text_size = 48
    integer(c_int), parameter :: invalid = -22, no_memory = -12, out_of_domain = -33 ! -errno

    character(kind=c_char, len=text_size), target, save :: class_name = &
        "IncompleteCholesky"//c_null_char
    character(kind=c_char, len=text_size), target, save :: summary = &
        "Cholesky factor without fill-in, in Fortran"//c_null_char
    character(kind=c_char, len=text_size), target, save :: port_name = &
        "preconditioner"//c_null_char
    character(kind=c_char, len=text_size), target, save :: port_type = &
        "solver.PreconditionerPort/1"//c_null_char

    integer(c_size_t), parameter :: port_size = 32, instance_size = port_size + 8

    ! struct preconditioner_port
    type :: preconditioner_port
        character(kind=c_char, len=text_size), pointer :: type => port_type
        integer(c_size_t) :: size = port_size
        procedure(cholesky_setup), pointer, nopass :: setup => cholesky_setup
        procedure(cholesky_apply), pointer, nopass :: apply => cholesky_apply
    end type

    type(preconditioner_port), target, save :: port

    ! struct cca_port_impl[2] of framework/cca.h: one port, at the start of an instance, and zeros
    type :: port_list
        character(kind=c_char, len=text_size), pointer :: name => port_name
        integer(c_size_t) :: offset = 0
        type(preconditioner_port), pointer :: port => port
        integer(c_intptr_t) :: last(3) = 0
    end type

    type(port_list), target, save :: implements

    ! struct cca_class; CCA_NO_SERVICES is -1
    type :: class_decl
        integer(c_int) :: abi = 2, size = 136
        character(kind=c_char, len=text_size), pointer :: name => class_name
        character(kind=c_char, len=text_size), pointer :: summary => summary
        integer(c_intptr_t) :: provides = 0, uses = 0, params = 0
        integer(c_intptr_t) :: quality = 0, proxy_for = 0, serves = 0
        integer(c_int) :: flags = 0, padding = 0
        integer(c_intptr_t) :: create = 0, set_services = 0
        procedure(cholesky_destroy), pointer, nopass :: destroy => cholesky_destroy
        integer(c_size_t) :: instance_size = instance_size, services_offset = -1
        type(port_list), pointer :: implements => implements
        integer(c_intptr_t) :: signatures = 0
    end type

    type(class_decl), public, save :: cca_class

    ! The lower triangle in compressed rows, from 1; the diagonal entry is the last of a row.
    type :: factor
        integer :: n = 0
        integer, allocatable :: start(:), column(:)
        real(c_double), allocatable :: value(:)
    end type

    ! An instance: a preconditioner_port, and its factor
    type, bind(C) :: cholesky
        type(c_ptr) :: port_type
        integer(c_size_t) :: port_size
        type(c_funptr) :: setup, apply
        type(c_ptr) :: factor
    end type

contains

    subroutine cholesky_destroy(instance) bind(C, name="")
        type(c_ptr), value :: instance
        type(cholesky), pointer :: self
        type(factor), pointer :: f

        call c_f_pointer(instance, self)
        if (.not. c_associated(self%factor)) return
        call c_f_pointer(self%factor, f)
        deallocate (f)
        self%factor = c_null_ptr
    end subroutine

    function cholesky_setup(instance, n, nnz, row_start, column, value) bind(C, name="") &
        result(code)
        type(c_ptr), value :: instance
        integer(c_int), value :: n, nnz
        integer(c_int), intent(in) :: row_start(n + 1), column(nnz)
        real(c_double), intent(in) :: value(nnz)
        integer(c_int) :: code
        type(cholesky), pointer :: self
        type(factor), pointer :: f
        integer :: failed

        call cholesky_destroy(instance)
        call c_f_pointer(instance, self)
        code = no_memory
        allocate (f, stat=failed)
        if (failed /= 0) return
        self%factor = c_loc(f)
        allocate (f%start(n + 1), f%column(nnz), f%value(nnz), stat=failed)
        if (failed /= 0) return
        code = out_of_domain
        if (.not. lower_copy(f, n, row_start, column, value)) return
        if (.not. factorise(f, n)) return
        f%n = n
        code = 0
    end function

    ! The lower triangle of the matrix; .false. where a row has no diagonal entry.
    function lower_copy(f, n, row_start, column, value) result(whole)
        type(factor), intent(inout) :: f
        integer(c_int), intent(in) :: n, row_start(:), column(:)
        real(c_double), intent(in) :: value(:)
        logical :: whole
        integer :: i, k, count

        count = 0
        whole = .true.
        do i = 1, n
            f%start(i) = count + 1
            do k = row_start(i) + 1, row_start(i + 1)
                if (column(k) + 1 > i) exit
                count = count + 1
                f%column(count) = column(k) + 1
                f%value(count) = value(k)
            end do
            if (count < f%start(i)) then
                whole = .false.
            else if (f%column(count) /= i) then
                whole = .false.
            end if
            if (.not. whole) return
        end do
        f%start(n + 1) = count + 1
    end function

    ! Row by row, in place; .false. where a pivot is not positive.
    function factorise(f, n) result(positive)
        type(factor), intent(inout) :: f
        integer, intent(in) :: n
        logical :: positive
        integer :: i, k, last
        real(c_double) :: pivot

        positive = .false.
        do i = 1, n
            last = f%start(i + 1) - 1
            pivot = f%value(last)
            do k = f%start(i), last - 1
                f%value(k) = (f%value(k) - common_sum(f, i, f%column(k), k)) / &
                             f%value(f%start(f%column(k) + 1) - 1)
                pivot = pivot - f%value(k)**2
            end do
            if (.not. pivot > 0) return
            f%value(last) = sqrt(pivot)
        end do
        positive = .true.
    end function

    ! Sum of L(i, j) L(row, j) over the columns j < row that both rows have; the entries of row
    ! i before `limit` are done.
    pure function common_sum(f, i, row, limit) result(sum)
        type(factor), intent(in) :: f
        integer, intent(in) :: i, row, limit
        real(c_double) :: sum
        integer :: a, b

        sum = 0
        a = f%start(i)
        b = f%start(row)
        do while (a < limit .and. b < f%start(row + 1) - 1)
            if (f%column(a) == f%column(b)) then
                sum = sum + f%value(a) * f%value(b)
                a = a + 1
                b = b + 1
            else if (f%column(a) < f%column(b)) then
                a = a + 1
            else
                b = b + 1
            end if
        end do
    end function

    function cholesky_apply(instance, n, r, z) bind(C, name="") result(code)
        type(c_ptr), value :: instance
        integer(c_int), value :: n
        real(c_double), intent(in) :: r(n)
        real(c_double), intent(out) :: z(n)
        integer(c_int) :: code
        type(cholesky), pointer :: self
        type(factor), pointer :: f

        code = invalid
        call c_f_pointer(instance, self)
        if (.not. c_associated(self%factor)) return
        call c_f_pointer(self%factor, f)
        if (f%n /= n) return
        call substitute(n, f%start, f%column, f%value, r, z)
        code = 0
    end function

    ! L y = r forwards, then L^T z = y backwards.
    subroutine substitute(n, start, column, value, r, z)
        integer, intent(in) :: n, start(:), column(:)
        real(c_double), intent(in) :: value(:), r(n)
        real(c_double), intent(out) :: z(n)
        integer :: i, k, last
        real(c_double) :: sum

        do i = 1, n
            last = start(i + 1) - 1
            sum = r(i)
            do k = start(i), last - 1
                sum = sum - value(k) * z(column(k))
            end do
            z(i) = sum / value(last)
        end do
        do i = n, 1, -1
            last = start(i + 1) - 1
            z(i) = z(i) / value(last)
            do k = start(i), last - 1
                z(column(k)) = z(column(k)) - value(k) * z(i)
            end do
        end do
    end subroutine
end module
