! Matrix times vector: y(i) is the sum over j of a(j, i) * x(j). Fortran keeps the first index together, so that a(:, i) is a row
! of the matrix as C has it.

subroutine NAME(n, a, x, y) bind(C, name="NAME")
  use, intrinsic :: iso_c_binding, only: c_int, c_float
  implicit none
  integer(c_int), value, intent(in) :: n
  real(c_float), intent(in) :: a(n, n), x(n)
  real(c_float), intent(out) :: y(n)
  integer :: i, j
#ifdef ROWS
  ! Along the rows: each element stands beside the last one in memory.
  do i = 1, n
    y(i) = 0
    do j = 1, n
      y(i) = y(i) + a(j, i) * x(j)
    end do
  end do
#else
  ! Down the columns: each element stands n numbers behind the last one.
  y = 0
  do j = 1, n
    do i = 1, n
      y(i) = y(i) + a(j, i) * x(j)
    end do
  end do
#endif
end subroutine NAME
