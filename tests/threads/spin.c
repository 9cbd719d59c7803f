// gnomon: true --thread-errors misuse
// Spin locks, and a mutex that is destroyed when nobody holds it.
#include <assert.h>
#include <pthread.h>

pthread_spinlock_t spin;
pthread_mutex_t lock;
int count;

void *work(void *argument)
{
    pthread_spin_lock(&spin);
    count = count + 1;
    pthread_spin_unlock(&spin);
    pthread_exit(0);
}

int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&spin, 0);
    pthread_mutex_init(&lock, 0);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_mutex_destroy(&lock);
    pthread_spin_destroy(&spin);
    assert(count == 2);
    return 0;
}
