// gnomon: true
// Dekker's first idea: who raises the flag and sees no other one is alone (or nobody enters).
#include <assert.h>
#include <pthread.h>

int flag1, flag2, inside;

void *one(void *argument)
{
    flag1 = 1;
    if (!flag2) {
        inside = inside + 1;
        assert(inside == 1);
        inside = inside - 1;
    }
    flag1 = 0;
    return 0;
}

void *other(void *argument)
{
    flag2 = 1;
    if (!flag1) {
        inside = inside + 1;
        assert(inside == 1);
        inside = inside - 1;
    }
    flag2 = 0;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
