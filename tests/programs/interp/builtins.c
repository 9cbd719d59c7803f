// gnomon: run 0
#include <stdio.h>
int main(void)
{
    printf("%d %d %d %d %d\n", __builtin_clz(1), __builtin_ctz(8), __builtin_popcount(255), __builtin_ffs(0), __builtin_parity(7));
    printf("%d %d %d %d\n", __builtin_clzll(1), __builtin_ctzll(1ULL << 40), __builtin_popcountll(~0ULL), __builtin_ffsll(1LL << 50));
    printf("%x %llx %x\n", __builtin_bswap32(0x12345678), __builtin_bswap64(0x123456789abcdefULL), __builtin_bswap16(0x1234));
    int r;
    unsigned char c;
    long long l;
    printf("%d ", __builtin_add_overflow(2147483647, 1, &r));
    printf("%d\n", r);
    printf("%d ", __builtin_mul_overflow(1000, 1000, &r));
    printf("%d\n", r);
    printf("%d ", __builtin_sub_overflow(3, 5, &c));
    printf("%d\n", c);
    printf("%d ", __builtin_mul_overflow(1LL << 40, 1LL << 40, &l));
    printf("%lld\n", l);
    printf("%d ", __builtin_sadd_overflow(-5, 3, &r));
    printf("%d\n", r);
    if (__builtin_expect(r < 0, 1)) printf("likely\n");
    printf("%d\n", __builtin_constant_p(3));
    char buf[8];
    __builtin_memset(buf, 'x', 7);
    buf[7] = 0;
    printf("%s %d\n", buf, (int)__builtin_strlen(buf));
    printf("%d %d\n", __builtin_isnan(__builtin_nan("")), __builtin_isinf_sign(-__builtin_inf()));
    printf("%d\n", __builtin_types_compatible_p(int, signed int));
    printf("%d\n", (int)__builtin_offsetof(struct { char a; int b; }, b));
    printf("%d\n", __builtin_choose_expr(1, 5, "no"));
    printf("%d\n", __builtin_abs(-4));
    return 0;
}
