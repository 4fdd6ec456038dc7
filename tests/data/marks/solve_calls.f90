! SPDX-License-Identifier: BSD-3-Clause
! solve_calls.f90: calls solve and prints what was passed and came back.
program solve_calls
    implicit none
    interface
        subroutine solve(trans, title, n, wide, x, info)
            character(len=*), intent(in) :: trans, title
            integer, intent(in), optional :: n
            integer(8), intent(in) :: wide
            double precision, intent(inout) :: x(*)
            integer, intent(out) :: info
        end subroutine solve
    end interface
    double precision :: x(1)
    integer :: info, i
    do i = 1, 3
        x(1) = 0
        call solve('n', repeat('a', 10 * i), i, 3000000000_8, x, info)
        print '(a,i0,a,i0,a,i0)', 'solve_ trans=78 Q=', 3000000000_8 * i, ' info=', info, ' n=', i
        if (info /= 100 + 10 * i .or. x(1) /= i * 3d9) stop 9
    end do
    call solve('Transposed', '', wide=2_8, x=x, info=info)
    print '(a,i0,a)', 'solve_ trans=84 Q info=', info, ' n'
    if (info /= 1000) stop 9
end program solve_calls
