// Reads the first character of a file; one path closes it twice.
#include <stdio.h>

static int first(FILE *file) {
    int c = fgetc(file);
    if (c == EOF)
        fclose(file);
    return c;
}

int main(void) {
    FILE *file = fopen("input.txt", "r");
    if (!file)
        return 1;
    int c = first(file);
    fclose(file);
    return c;
}
