// gnomon: unknown --thread-errors race
// What functions of the library access is not looked at for data races, and that is said.
#include <pthread.h>
#include <string.h>

char text[8];

void *work(void *argument)
{
    memset(text, 'x', sizeof text);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    text[0] = 1;
    pthread_join(t, 0);
    return 0;
}
