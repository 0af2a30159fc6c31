/* rounds: runs commands in turn and prints what each run took, by the kernel's own accounting of the finished process.
 *
 *   cc -O2 -o rounds rounds.c && ./rounds ROUNDS WARMUP FILE
 *
 * FILE holds one command a line, "label<TAB>words", started without a shell; output goes to the file that a word ">NAME" names,
 * or is thrown away. Each round starts with
 * another command, so that a slow spell of the machine hits all alike. This program stays small on purpose: a child's
 * peak memory is at least its parent's.
 *
 * Prints one line a run: round, label, wall seconds, CPU seconds (user and system), peak KiB, exit code.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS = 64, WORDS = 32 };
static struct { char *label, *words[WORDS]; } commands[COMMANDS];

static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

static void run(int round, int n) {
    struct timespec a, b;
    struct rusage used;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &a);
    pid_t child = fork();
    if (!child) {
        int null = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; fd++) dup2(null, fd);
        for (char **word = commands[n].words; *word; word++)
            if (**word == '>') {
                dup2(open(*word + 1, O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
                *word = NULL;
                break;
            }
        execvp(commands[n].words[0], commands[n].words);
        _exit(127);
    }
    wait4(child, &status, 0, &used);
    clock_gettime(CLOCK_MONOTONIC, &b);
    if (round < 0) return;
    printf("%d\t%s\t%.4f\t%.4f\t%ld\t%d\n", round, commands[n].label,
           (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9,
           seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss,
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    fflush(stdout);
}

int main(int count, char **args) {
    FILE *file = count == 4 ? fopen(args[3], "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    int n = 0;
    if (!file) { fprintf(stderr, "usage: rounds ROUNDS WARMUP FILE\n"); return 2; }
    while (n < COMMANDS && getline(&line, &room, file) > 0) {
        char *label = strtok(strdup(line), "\t"), *words = strtok(NULL, "\n");
        if (!words) continue;
        commands[n].label = label;
        int word = 0;
        for (char *w = strtok(words, " "); w && word < WORDS - 1; w = strtok(NULL, " ")) commands[n].words[word++] = w;
        n++;
    }
    for (int round = -atoi(args[2]); round < atoi(args[1]); round++)
        for (int i = 0; i < n; i++) run(round, (i + (round > 0 ? round : 0)) % n);
}
