// gnomon: run 0
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
static int sg(int x) { return (x > 0) - (x < 0); }
int main(void)
{
    char a[40] = "hello", b[40];
    printf("%d %d\n", (int)strlen(a), (int)strlen(""));
    strcpy(b, a); strcat(b, ", "); strncat(b, "world!!!", 5);
    printf("%s\n", b);
    printf("%d %d %d %d\n", sg(strcmp(a, b)), sg(strcmp("b", "a")), strcmp(a, "hello"), sg(strncmp("abcd", "abzz", 3)));
    printf("%s %s %d\n", strchr(b, 'o'), strrchr(b, 'o'), strchr(b, 'z') == 0);
    printf("%s %d\n", strstr(b, "lo,"), strstr(b, "xyz") == NULL);
    printf("%d %d %s\n", (int)strspn("aabbc", "ab"), (int)strcspn("hello", "lo"), strpbrk("hello", "xl"));
    char t[] = "a,b;;c , d";
    for (char *p = strtok(t, ",; "); p; p = strtok(0, ",; ")) printf("<%s>", p);
    printf("\n");
    char *d = strdup(b);
    d[0] = 'J';
    printf("%s %s\n", d, b);
    free(d);
    memset(a, 'x', 5); memcpy(a + 2, "yz", 2);
    printf("%s\n", a);
    memmove(a + 1, a, 5);
    printf("%s %d %d\n", a, sg(memcmp("abc", "abd", 3)), memcmp("abc", "abd", 2));
    char n[8];
    strncpy(n, "ab", 8);
    printf("%d %d\n", n[7], (int)((char *)memchr(n, 'b', 8) - n));
    printf("%d\n", (int)(strchr(b, 0) - b));
    char wide[] = "L\0R";
    printf("%d %c\n", (int)sizeof wide, wide[2]);
    return 0;
}
