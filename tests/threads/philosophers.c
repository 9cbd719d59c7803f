// gnomon: true --thread-errors deadlock --contexts 4
// Philosophers who take the forks in the same order never all wait.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t forks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
int meals;

void *one(void *argument)
{
    pthread_mutex_lock(&forks[0]);
    pthread_mutex_lock(&forks[1]);
    meals = meals + 1;
    pthread_mutex_unlock(&forks[1]);
    pthread_mutex_unlock(&forks[0]);
    return 0;
}

void *other(void *argument)
{
    pthread_mutex_lock(&forks[0]);
    pthread_mutex_lock(&forks[1]);
    meals = meals + 1;
    pthread_mutex_unlock(&forks[1]);
    pthread_mutex_unlock(&forks[0]);
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(meals == 2);
    return 0;
}
