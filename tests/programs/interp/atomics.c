// gnomon: run 0
#include <stdio.h>
int main(void)
{
    int x = 10, e, o;
    printf("%d ", __sync_fetch_and_add(&x, 5));
    printf("%d ", __sync_add_and_fetch(&x, 5));
    printf("%d ", __sync_bool_compare_and_swap(&x, 20, 30));
    printf("%d ", __sync_val_compare_and_swap(&x, 20, 40));
    printf("%d ", __sync_lock_test_and_set(&x, 1));
    __sync_lock_release(&x);
    __sync_synchronize();
    printf("%d\n", x);
    __atomic_store_n(&x, 7, __ATOMIC_SEQ_CST);
    printf("%d ", __atomic_load_n(&x, __ATOMIC_RELAXED));
    printf("%d ", __atomic_exchange_n(&x, 8, __ATOMIC_SEQ_CST));
    printf("%d ", __atomic_fetch_sub(&x, 3, __ATOMIC_SEQ_CST));
    printf("%d ", __atomic_or_fetch(&x, 8, __ATOMIC_SEQ_CST));
    printf("%d ", __atomic_fetch_nand(&x, 6, __ATOMIC_SEQ_CST));
    printf("%d\n", x);
    e = 1;
    printf("%d ", __atomic_compare_exchange_n(&x, &e, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    printf("%d ", __atomic_compare_exchange_n(&x, &e, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    __atomic_load(&x, &o, __ATOMIC_SEQ_CST);
    printf("%d %d\n", o, e);
    unsigned char flag = 0;
    printf("%d ", __atomic_test_and_set(&flag, 0));
    printf("%d\n", __atomic_test_and_set(&flag, 0));
    return 0;
}
