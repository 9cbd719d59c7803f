// gnomon: false
// What the iteration before the last one has left does not move by a constant.
extern void reach_error(void);

int main(void)
{
    int before = 0, now = 0, i = 0;
    while (i < 1000) {
        before = now;
        now = i * i;
        i++;
    }
    if (before == 998 * 998)
        reach_error();
    return 0;
}
