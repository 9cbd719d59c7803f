// gnomon: false --thread-errors race
// Every thread has its own element, but the last index is wrong.
#include <pthread.h>

int part[3];
int index[3] = {0, 1, 1};

void *work(void *arg)
{
    int own = *(int *)arg;
    part[own] = own;
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, &index[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
