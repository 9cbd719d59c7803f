// gnomon: true
// A producer module and a checker module share a global that only the producer changes.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int level;

static void produce(int amount)
{
    if (amount > 0 && amount <= 10 && level + amount <= 100)
        level += amount;
}

static void drain(void)
{
    if (level > 0)
        level -= 1;
}

static int level_is_sane(void)
{
    return level >= 0 && level <= 100;
}

int main(void)
{
    for (;;) {
        int event = __VERIFIER_nondet_int();
        if (event == 0)
            break;
        if (event > 0)
            produce(event);
        else
            drain();
        if (!level_is_sane())
            reach_error();
    }
    return 0;
}
