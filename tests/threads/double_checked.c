// gnomon: true
// Double-checked initialisation: the flag is set behind the value.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ready, value;

int get(void)
{
    if (!ready) {
        pthread_mutex_lock(&lock);
        if (!ready) {
            value = 7;
            ready = 1;
        }
        pthread_mutex_unlock(&lock);
    }
    return value;
}

void *one(void *argument)
{
    assert(get() == 7);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, one, 0);
    assert(get() == 7);
    pthread_join(t, 0);
    return 0;
}
