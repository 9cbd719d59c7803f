#include "ledger.h"

int main(void)
{
    return run();
}
