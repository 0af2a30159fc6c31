/* rounds: runs commands in turn and prints what each run took, by the kernel's own accounting of the finished process.
 *
 *   cc -O2 -o rounds rounds.c && ./rounds ROUNDS WARMUP FILE
 *
 * FILE holds one command a line, "label<TAB>words", started without a shell; output goes to the file that a word ">NAME" names,
 * or is thrown away. Each round starts with
 * another command, so that a slow spell of the machine hits all alike.
 *
 * Prints one line a run: round, label, wall seconds, CPU seconds (user and system), private KiB, exit code. Private is the
 * peak less the pages of files at the end (VmHWM and RssFile of proc(5)): those of programs and libraries are everybody's.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS = 64, WORDS = 32 };
static struct { char *label, *words[WORDS]; } commands[COMMANDS];

static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

static long private_kib(pid_t child) {
    char path[64], line[256];
    long peak = 0, files = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "VmHWM: %ld", &peak);
        sscanf(line, "RssFile: %ld", &files);
    }
    if (file) fclose(file);
    return peak - files;
}

/* Waits until the child has ended. It stands still once before, with its memory still there (PTRACE_EVENT_EXIT of ptrace(2)). */
static long await_end(pid_t child, int *status, struct rusage *used) {
    long private = 0;
    while (wait4(child, status, __WALL, used) == child && WIFSTOPPED(*status)) {
        if (*status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8)) private = private_kib(child);
        int sent = *status >> 16 ? 0 : WSTOPSIG(*status);
        ptrace(PTRACE_CONT, child, 0, sent);
    }
    return private;
}

static void run(int round, int n) {
    struct timespec a, b;
    struct rusage used;
    int status;
    pid_t child = fork();
    if (!child) {
        raise(SIGSTOP);
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
    waitpid(child, &status, WUNTRACED);
    ptrace(PTRACE_SEIZE, child, 0, PTRACE_O_TRACEEXIT);
    clock_gettime(CLOCK_MONOTONIC, &a);
    kill(child, SIGCONT);
    long private = await_end(child, &status, &used);
    clock_gettime(CLOCK_MONOTONIC, &b);
    if (round < 0) return;
    printf("%d\t%s\t%.4f\t%.4f\t%ld\t%d\n", round, commands[n].label,
           (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9,
           seconds(used.ru_utime) + seconds(used.ru_stime), private,
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
