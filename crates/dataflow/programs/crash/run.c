#include "ledger.h"

int getchar(void);
int printf(const char *format, ...);

static void report(struct account *list)
{
    printf("%d\n", total(list));
}

int run(void)
{
    struct account *list = 0;
    int command;
    while ((command = getchar()) > 0) {
        if (command >= 'a' && command <= 'z')
            list = add(list, command - 'a');
        else if (command >= 'A' && command <= 'Z')
            list = drop(list, command - 'A');
        else if (command == '?')
            report(list);
    }
    return 0;
}
