/* A complete bot that speaks the line protocol of docs/protocol.md, in C, for any game.
 *
 *     cc -O2 -o line_bot examples/line_bot.c
 *     bidarena match raj "json:./line_bot" value --games 100
 *
 * It plays one of the legal actions, chosen by the seed that comes with each move. It needs no JSON
 * library: it looks for the two keys that matter in the text of the message.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return where the value of a key begins, or NULL. Keys are unique in a message. */
static const char *value_of(const char *line, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *found = strstr(line, quoted);
    return found ? found + strlen(quoted) : NULL;
}

static int is_type(const char *line, const char *type)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\"", type);
    const char *value = value_of(line, "type");
    return value && strncmp(value, wanted, strlen(wanted)) == 0;
}

/* Return the action at a place in the list of legal ones; with place -1, how many there are. */
static long legal_action(const char *line, long place)
{
    const char *at = value_of(line, "legal");
    long count = 0;
    while (at && *at != ']') {
        at++; /* the opening bracket, or a comma */
        char *end;
        long action = strtol(at, &end, 10);
        if (count == place)
            return action;
        count++;
        at = end;
    }
    return count;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (is_type(line, "hello")) {
            printf("{\"type\": \"hello\", \"protocol\": 1, \"name\": \"a bot in C\"}\n");
        } else if (is_type(line, "move")) {
            const char *seed = value_of(line, "seed");
            uint64_t number = seed ? strtoull(seed, NULL, 10) : 0;
            printf("{\"action\": %ld}\n", legal_action(line, number % legal_action(line, -1)));
        } /* anything else needs no answer */
        fflush(stdout); /* or the answer stays in the buffer */
    }
    free(line);
    return 0;
}
