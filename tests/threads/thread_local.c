// gnomon: true
// Every thread has its own instance of a thread-local variable.
#include <assert.h>
#include <pthread.h>

_Thread_local int own = 3;
int seen;

void bump(void)
{
    own = own + 1;
}

void *one(void *argument)
{
    bump();
    bump();
    assert(own == 5);
    seen = own;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, one, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(own == 3);
    assert(seen == 5);
    return 0;
}
