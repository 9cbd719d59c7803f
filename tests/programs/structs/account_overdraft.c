// gnomon: false
// A fee is taken after the balance check, so the balance can become negative.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct account {
    int balance;
    int fee;
};

static int withdraw(struct account *a, int amount)
{
    if (a->balance < amount)
        return 0;
    a->balance -= amount;
    a->balance -= a->fee;
    return 1;
}

int main(void)
{
    struct account a = {100, 1};
    while (__VERIFIER_nondet_int()) {
        int amount = __VERIFIER_nondet_int();
        if (amount <= 0)
            continue;
        withdraw(&a, amount);
        if (a.balance < 0)
            reach_error();
    }
    return 0;
}
