// gnomon: true
// The enclosing record is found from the address of its member.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct list_head {
    struct list_head *next;
};

struct task {
    int priority;
    struct list_head link;
    int state;
};

#define container_of(ptr, type, member) ((type *)((char *)(ptr) - __builtin_offsetof(type, member)))

int main(void)
{
    struct task t;
    t.priority = __VERIFIER_nondet_int();
    t.link.next = 0;
    t.state = 1;
    struct list_head *l = &t.link;
    struct task *back = container_of(l, struct task, link);
    if (back != &t)
        reach_error();
    back->state = 2;
    if (t.state != 2 || back->priority != t.priority)
        reach_error();
    return 0;
}
