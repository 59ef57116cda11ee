/* A player of Bricks in C: puts the brick after which the opponent has the fewest replies.
 * Build it with `cc -O2 -o player player.c`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int size;
static char filled[999][999]; /* by row and column, from 0 at the top left */

static int is_free(int x, int y) {
    return x >= 0 && y >= 0 && x < size && y < size && !filled[y][x];
}

/* How many neighbours of a cell are free. */
static int open_sides(int x, int y) {
    return is_free(x - 1, y) + is_free(x + 1, y) + is_free(x, y - 1) + is_free(x, y + 1);
}

/* Puts and says the brick that blocks the most others; 0 if none fits. */
static int move(void) {
    int most = -1, from_x = 0, from_y = 0, to_x = 0, to_y = 0;
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++)
            for (int down = 0; down < 2; down++) {
                int other_x = x + !down, other_y = y + down;
                if (!is_free(x, y) || !is_free(other_x, other_y)) continue;
                int blocked = open_sides(x, y) + open_sides(other_x, other_y);
                if (blocked > most) most = blocked, from_x = x, from_y = y, to_x = other_x, to_y = other_y;
            }
    if (most < 0) return 0;
    filled[from_y][from_x] = filled[to_y][to_x] = 1;
    printf("%dx%d_%dx%d\n", from_x, from_y, to_x, to_y);
    return 1;
}

int main(void) {
    static char line[1 << 24]; /* the largest board, every cell filled */
    setvbuf(stdout, NULL, _IOLBF, 0); /* a line that waits in a buffer comes too late */
    if (!fgets(line, sizeof line, stdin)) return 1;
    char *word = strtok(line, "_\r\n"); /* 7_2x3_4x5 */
    size = word ? atoi(word) : 0;
    while ((word = strtok(NULL, "_\r\n"))) {
        int x, y;
        if (sscanf(word, "%dx%d", &x, &y) == 2 && is_free(x, y)) filled[y][x] = 1;
    }
    puts("OK");
    while (fgets(line, sizeof line, stdin)) {
        int x, y, to_x, to_y;
        if (!strncmp(line, "STOP", 4)) break;
        if (sscanf(line, "%dx%d_%dx%d", &x, &y, &to_x, &to_y) == 4) /* the opponent's brick */
            filled[y][x] = filled[to_y][to_x] = 1;
        if (!move()) break;
    }
    return 0;
}
