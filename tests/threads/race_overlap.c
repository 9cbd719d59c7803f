// gnomon: false --thread-errors race
// Two threads write bytes of the same word, one of them all of it.
#include <pthread.h>

union { unsigned word; unsigned char bytes[4]; } data;

void *work(void *argument)
{
    data.bytes[2] = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    data.word = 5;
    pthread_join(t, 0);
    return 0;
}
