// gnomon: false
// The offset of another member is subtracted, and the record found is shifted.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct pair {
    int first;
    int second;
    int third;
};

int main(void)
{
    struct pair p[2] = {{1, 2, 3}, {4, 5, 6}};
    int which = __VERIFIER_nondet_int();
    int *member = which ? &p[1].second : &p[1].third;
    /* Right for `second` only. */
    struct pair *back = (struct pair *)((char *)member - __builtin_offsetof(struct pair, second));
    int *first = (int *)back;
    if (*first != 4)
        reach_error();
    return 0;
}
