# repro/student.awk - awk functions for Student's t and 95 % intervals, used by all of repro/. Scripts place
# them before their program: awk "$student"'...' after lib.sh.
#
#   student(n)          t of the mean of n values, n >= 2: the 97.5 % quantile with n - 1 degrees of freedom.
#                       Beyond 30 it uses the expansion in 1 / degrees (Cornish and Fisher), correct to four
#                       digits there
#   half_width(sum, squares, n)   half of the 95 % interval of a mean, from the sum of n values and of their
#                                 squares; 0 for one value
function student(n,    z, v) {
    if (!student_t[1])
        split("12.7062 4.3027 3.1824 2.7764 2.5706 2.4469 2.3646 2.3060 2.2622 2.2281 2.2010 2.1788 2.1604 2.1448 2.1314 2.1199 2.1098 2.1009 " \
            "2.0930 2.0860 2.0796 2.0739 2.0687 2.0639 2.0595 2.0555 2.0518 2.0484 2.0452 2.0423", student_t, " ")
    v = n - 1
    if (v <= 30) return student_t[v]
    z = 1.959964
    return z + (z ^ 3 + z) / (4 * v) + (5 * z ^ 5 + 16 * z ^ 3 + 3 * z) / (96 * v ^ 2)
}
function half_width(sum, squares, n,    spread) {
    if (n < 2) return 0
    spread = squares - sum ^ 2 / n
    return student(n) * sqrt((spread > 0 ? spread : 0) / (n - 1) / n)
}
