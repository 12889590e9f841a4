/* tests/export/freestanding.h - a program without a library: entry point, output and exit. */
#ifndef TESTS_EXPORT_FREESTANDING_H
#define TESTS_EXPORT_FREESTANDING_H

#include <stdint.h>

#if defined(__x86_64__)
#define SYS_WRITE 1
#define SYS_EXIT  60
static inline long system_call(long number, long a, long b, long c)
{
    long result;

    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
#define SYS_WRITE 64
#define SYS_EXIT  93
static inline long system_call(long number, long a, long b, long c)
{
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;

    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}
#elif defined(__riscv) && __riscv_xlen == 64
#define SYS_WRITE 64
#define SYS_EXIT  93
static inline long system_call(long number, long a, long b, long c)
{
    register long a7 __asm__("a7") = number, a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;

    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
    return a0;
}
#else
#error "how does this processor call the system?"
#endif

/* Prints a number and a newline. */
static inline void print_hex(uint64_t value)
{
    char text[17];

    for (int i = 0; i < 16; i++)
        text[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    text[16] = '\n';
    system_call(SYS_WRITE, 1, (long)text, sizeof(text));
}

static inline _Noreturn void end(long code)
{
    for (;;)
        system_call(SYS_EXIT, code, 0, 0);
}

/* At program start, the stack of x86-64 is not aligned as functions expect. */
#if defined(__x86_64__)
__attribute__((force_align_arg_pointer))
#endif
_Noreturn void _start(void);

#endif
