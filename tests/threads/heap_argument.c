// gnomon: false
// Each thread gets an object on the heap; one of them is handed to both.
#include <assert.h>
#include <pthread.h>

#include <stdlib.h>

struct account {
    int balance;
};

void *deposit(void *argument)
{
    struct account *account = argument;
    int balance = account->balance;
    account->balance = balance + 10;
    return 0;
}

int main(void)
{
    pthread_t t1, t2;
    struct account *account = malloc(sizeof *account);
    if (!account)
        return 0;
    account->balance = 5;
    pthread_create(&t1, 0, deposit, account);
    pthread_create(&t2, 0, deposit, account);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(account->balance == 25);
    free(account);
    return 0;
}
