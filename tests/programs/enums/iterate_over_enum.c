// gnomon: true
// A loop over all enumerators visits each exactly once.
extern void reach_error(void);

enum day { MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY, DAYS };

int main(void)
{
    int visits = 0, weekend = 0;
    for (enum day d = MONDAY; d < DAYS; d++) {
        visits++;
        if (d == SATURDAY || d == SUNDAY)
            weekend++;
    }
    if (visits != 7 || weekend != 2)
        reach_error();
    return 0;
}
