// gnomon: true
// In an array of records the flag of every record tells whether its level is above the threshold.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct sensor {
    int level;
    int alarm;
};

int main(void)
{
    struct sensor s[4];
    for (int i = 0; i < 4; i++) {
        s[i].level = __VERIFIER_nondet_int();
        s[i].alarm = s[i].level > 50;
    }
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k > 3)
        return 0;
    if (s[k].alarm && s[k].level <= 50)
        reach_error();
    if (!s[k].alarm && s[k].level > 50)
        reach_error();
    return 0;
}
