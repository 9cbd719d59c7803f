// gnomon: run 0
#include <stdio.h>
#include <string.h>
#include <stdint.h>
static uint32_t bits(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static float invsqrt(float x) { float h = x * 0.5f; uint32_t i = bits(x); i = 0x5f3759df - (i >> 1); float y; memcpy(&y, &i, 4); return y * (1.5f - h * y * y); }
int main(void)
{
    printf("%08x %08x %08x %08x\n", bits(1), bits(-0.0f), bits(0.1f), bits(1e-45f));
    printf("%.6f %.6f\n", invsqrt(4), invsqrt(0.3f));
    union { double d; uint64_t u; struct { uint64_t m : 52, e : 11, s : 1; } p; } v = {-6.25};
    printf("%llx %d %d %llx\n", (unsigned long long)v.u, (int)v.p.s, (int)v.p.e - 1023, (unsigned long long)v.p.m);
    v.p.e += 1;
    printf("%g\n", v.d);
    float sum = 0, c = 0;
    for (int i = 0; i < 1000; i++) { float y = 0.1f - c, t = sum + y; c = (t - sum) - y; sum = t; }
    printf("%.6f\n", sum);
    float f = 3.7f;
    printf("%d %u %d %d\n", (int)f, (unsigned)f, (int)-f, (int)(f * 10) % 7);
    return 0;
}
