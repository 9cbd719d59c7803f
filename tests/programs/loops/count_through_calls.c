// gnomon: false
// Sixteen million iterations with a call in each: runs leap over them, and the report does not wait for them.
extern void reach_error(void);

static unsigned next(unsigned x) {
    return x + 2;
}

int main(void) {
    unsigned x = 0;
    while (x < 0x01ffffff)
        x = next(x);
    if (x % 2 == 0)
        reach_error();
    return 0;
}
