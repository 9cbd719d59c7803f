// gnomon: false
// The alarm of a sensor is written to its neighbour.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct sensor {
    int level;
    int alarm;
};

int main(void)
{
    struct sensor s[3] = {{0, 0}, {0, 0}, {0, 0}};
    for (int i = 0; i < 3; i++) {
        s[i].level = __VERIFIER_nondet_int();
        if (s[i].level > 50)
            s[(i + 1) % 3].alarm = 1;
    }
    for (int i = 0; i < 3; i++)
        if (s[i].alarm && s[i].level <= 50)
            reach_error();
    return 0;
}
