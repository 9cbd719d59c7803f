// gnomon: true
// Three disks take seven moves.
extern void reach_error(void);

static int moves;

static void hanoi(int disks, int from, int to, int spare)
{
    if (disks == 0)
        return;
    hanoi(disks - 1, from, spare, to);
    moves++;
    hanoi(disks - 1, spare, to, from);
}

int main(void)
{
    hanoi(3, 1, 3, 2);
    if (moves != 7)
        reach_error();
    return 0;
}
