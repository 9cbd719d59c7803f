// gnomon: run 0
#include <stdio.h>
enum { W = 16, H = 10 };
static unsigned char g[2][H][W];
static int at(int k, int y, int x) { return g[k][(y + H) % H][(x + W) % W]; }
int main(void)
{
    static const char *start[] = {" #", "  #", "###"};
    for (int y = 0; y < 3; y++) for (int x = 0; start[y][x]; x++) g[0][y][x] = start[y][x] == '#';
    int k = 0;
    for (int t = 0; t < 25; t++, k ^= 1)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                int n = 0;
                for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) if (dy || dx) n += at(k, y + dy, x + dx);
                g[k ^ 1][y][x] = n == 3 || (n == 2 && g[k][y][x]);
            }
    for (int y = 0; y < H; y++) { for (int x = 0; x < W; x++) putchar(g[k][y][x] ? '#' : '.'); putchar('\n'); }
    return 0;
}
