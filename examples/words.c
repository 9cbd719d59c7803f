// Counts words of a line in a buffer; the last character is one too far.
#include <stdlib.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

static int count(const char *text, unsigned length) {
    int words = 0;
    for (unsigned i = 0; i <= length; i++)
        if (text[i] == ' ')
            words++;
    return words + 1;
}

int main(void) {
    unsigned length = __VERIFIER_nondet_uint() % 8;
    char *line = malloc(length + 1);
    if (!line)
        return 1;
    memset(line, ' ', length + 1);
    int words = count(line, length + 1);
    free(line);
    return words;
}
