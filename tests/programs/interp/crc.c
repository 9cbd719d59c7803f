// gnomon: run 0
#include <stdio.h>
#include <stdint.h>
static uint32_t tab[256];
static uint32_t crc32(const void *p, unsigned n)
{
    const uint8_t *b = p;
    uint32_t c = 0xffffffffu;
    while (n--) c = tab[(c ^ *b++) & 0xff] ^ (c >> 8);
    return ~c;
}
static uint64_t fnv(const char *s) { uint64_t h = 14695981039346656037ULL; while (*s) { h ^= (uint8_t)*s++; h *= 1099511628211ULL; } return h; }
static uint32_t rotl(uint32_t x, int k) { return x << k | x >> (32 - k); }
int main(void)
{
    for (uint32_t i = 0; i < 256; i++) { uint32_t c = i; for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1; tab[i] = c; }
    printf("%08x\n", crc32("123456789", 9));
    printf("%016llx\n", (unsigned long long)fnv("hello world"));
    uint32_t s[4] = {1, 2, 3, 4};
    for (int i = 0; i < 100; i++) { uint32_t t = s[1] << 9; s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t; s[3] = rotl(s[3], 11); }
    printf("%08x %08x %08x %08x\n", s[0], s[1], s[2], s[3]);
    return 0;
}
