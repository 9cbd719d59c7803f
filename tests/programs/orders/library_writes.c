// gnomon: unknown
// A function of the library writes what another argument reads.
#include <string.h>
extern void reach_error(void);

static char text[8];
static int second(char *first, int length) { return first ? length : 7; }
int main(void)
{
    if (second(strcpy(text, "abc"), strlen(text)) == 0)
        reach_error();
    return 0;
}
