// gnomon: true
// Two nested records refer to one another; a walk of two steps comes back.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct owner;
struct pet {
    struct owner *owner;
    int age;
};
struct owner {
    struct pet *pet;
    int money;
};

int main(void)
{
    struct owner o;
    struct pet p;
    o.pet = &p;
    p.owner = &o;
    o.money = 100;
    p.age = 0;
    int n = __VERIFIER_nondet_int();
    while (n > 0 && o.money > 0) {
        o.pet->age++;
        p.owner->money--;
        n--;
        if (o.pet->owner != &o)
            reach_error();
        if (p.age + o.money != 100)
            reach_error();
    }
    return 0;
}
