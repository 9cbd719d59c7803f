// gnomon: run 0
#include <stdio.h>
#include <string.h>
#include <stdint.h>
struct __attribute__((packed)) hdr { uint8_t t; uint32_t len; uint16_t crc; };
struct __attribute__((aligned(32))) al { char c; };
int main(void)
{
    struct hdr h = {1, 0xa1b2c3d4, 0xbeef};
    unsigned char raw[sizeof h];
    memcpy(raw, &h, sizeof h);
    for (unsigned i = 0; i < sizeof raw; i++) printf("%02x", raw[i]);
    printf(" %d\n", (int)sizeof h);
    uint32_t v;
    memcpy(&v, raw + 1, 4);
    printf("%x\n", v);
    raw[2] = 0;
    memcpy(&h, raw, sizeof h);
    printf("%x %x\n", h.len, h.crc);
    h.len += 1;
    printf("%x\n", h.len);
    double d = -1.5;
    uint64_t bits;
    memcpy(&bits, &d, 8);
    printf("%llx %d\n", (unsigned long long)bits, (int)sizeof(struct al));
    struct al arr[2];
    printf("%d\n", (int)((char *)&arr[1] - (char *)&arr[0]) + (int)((uintptr_t)arr % 32));
    short s[2] = {1, -1};
    printf("%x\n", *(unsigned char *)&s[1] | ((unsigned char *)s)[0] << 8);
    return 0;
}
