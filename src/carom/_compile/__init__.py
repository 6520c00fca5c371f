"""How kernels are compiled, cached and called; the ground floor of the package.

Read `jit` first: it is the only place that sets Numba's options. `kernel_cache` keeps one checked file per kernel, named by the
digest that `fingerprint` makes of everything the kernel reaches; `notice` tells users what compiles. `address_call` lets a
kernel call another one by address, so that the two are compiled separately. `lanes`, `formula`, `fused`, `prefetch` and `clock`
are single instructions as functions, `aligned` allocates rows on cache lines, `threads` and `chunks` share work among cores.
"""
