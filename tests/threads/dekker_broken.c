// gnomon: false
// The flag is raised only after the other one was looked at.
#include <assert.h>
#include <pthread.h>

int flag1, flag2, inside;

void *one(void *argument)
{
    if (!flag2) {
        flag1 = 1;
        inside = inside + 1;
        assert(inside == 1);
        inside = inside - 1;
    }
    flag1 = 0;
    return 0;
}

void *other(void *argument)
{
    if (!flag1) {
        flag2 = 1;
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
