! y becomes y + alpha x, in Fortran.
subroutine axpy(n, alpha, x, y) bind(c)
  use iso_c_binding, only: c_long, c_double
  implicit none
  integer(c_long), value :: n
  real(c_double), value :: alpha
  real(c_double), intent(in) :: x(n)
  real(c_double), intent(inout) :: y(n)
  y = y + alpha * x
end subroutine axpy
