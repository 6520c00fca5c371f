/* The C library and BLAS of another machine, as far as they may differ: results of mathematical functions are off by one unit
 * in the last place unless they are short, and sums of products run backwards and round once. Loaded with LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static double off(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    if (x == 0.0 || x - x != 0.0 || (bits & 0xffff) == 0)
        return x;
    bits += (bits * 0x9E3779B97F4A7C15ull) >> 63 ? 1 : -1;
    memcpy(&x, &bits, 8);
    return x;
}

#define ONE(f) double f(double x) { return off(((double (*)(double))dlsym(RTLD_NEXT, #f))(x)); }
#define TWO(f) double f(double x, double y) { return off(((double (*)(double, double))dlsym(RTLD_NEXT, #f))(x, y)); }
ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(exp) ONE(exp2) ONE(expm1)
ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(cbrt) TWO(pow) TWO(atan2) TWO(hypot)
void sincos(double x, double *s, double *c) { *s = sin(x), *c = cos(x); }

typedef int64_t I;
#define AT(a, order, t, stride, i, j) (((order) == 101) == ((t) == 111) ? (a)[(i) * (stride) + (j)] : (a)[(j) * (stride) + (i)])
#define PUT(c, order, stride, i, j, s) \
    do { double *p = (order) == 101 ? &(c)[(i) * (stride) + (j)] : &(c)[(j) * (stride) + (i)]; \
         *p = alpha * (s) + (beta == 0.0 ? 0.0 : beta * *p); } while (0)

#define BLAS(name) scipy_cblas_##name##64_ /* as NumPy's wheels call it */
double BLAS(ddot)(I n, const double *x, I dx, const double *y, I dy)
{
    double s = 0.0;
    x -= dx < 0 ? (n - 1) * dx : 0, y -= dy < 0 ? (n - 1) * dy : 0;
    for (I k = n - 1; k >= 0; k--)
        s = fma(x[k * dx], y[k * dy], s);
    return s;
}
void BLAS(dgemm)(int order, int ta, int tb, I m, I n, I k, double alpha, const double *a, I la, const double *b, I lb,
                 double beta, double *c, I lc)
{
    for (I i = 0; i < m; i++)
        for (I j = 0; j < n; j++) {
            double s = 0.0;
            for (I l = k - 1; l >= 0; l--)
                s = fma(AT(a, order, ta, la, i, l), AT(b, order, tb, lb, l, j), s);
            PUT(c, order, lc, i, j, s);
        }
}
void BLAS(dsyrk)(int order, int upper, int t, I n, I k, double alpha, const double *a, I la, double beta, double *c, I lc)
{
    for (I i = 0; i < n; i++)
        for (I j = upper == 121 ? i : 0; j < (upper == 121 ? n : i + 1); j++) {
            double s = 0.0;
            for (I l = k - 1; l >= 0; l--)
                s = fma(AT(a, order, t, la, i, l), AT(a, order, t, la, j, l), s);
            PUT(c, order, lc, i, j, s);
        }
}
void BLAS(dgemv)(int order, int t, I m, I n, double alpha, const double *a, I la, const double *x, I dx, double beta, double *y,
                 I dy)
{
    I rows = t == 111 ? m : n, columns = t == 111 ? n : m;
    for (I i = 0; i < rows; i++) {
        double s = 0.0;
        for (I l = columns - 1; l >= 0; l--)
            s = fma(AT(a, order, t, la, i, l), x[l * dx], s);
        y[i * dy] = alpha * s + (beta == 0.0 ? 0.0 : beta * y[i * dy]);
    }
}
