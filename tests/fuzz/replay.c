/* Runs a fuzz target over its corpus, where there is no fuzzing engine: one TAP result for each file, so that what was
 * found once stays fixed. Arguments are files; without any it is the corpus in the sources that has the target's name.
 */
#include <dirent.h>
#include <libgen.h>
#include <limits.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#define MAX_PATH 4096
#define TIME_LIMIT 60 /* seconds for one input */

static int number;

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*size > 0 ? *size : 1); /* just that size, for the sanitizers */
    if (data == NULL || fread(data, 1, *size, file) != *size) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    fclose(file);
    return data;
}

/* A property that does not hold ends the program, which the test driver reports as an error of the test. */
static void replay(const char *path)
{
    size_t size = 0;
    uint8_t *data = read_file(path, &size);
    fprintf(stderr, "# %s\n", path);
    alarm(TIME_LIMIT);
    LLVMFuzzerTestOneInput(data, size);
    alarm(0);
    free(data);
    printf("ok %d - %s\n", ++number, path);
    fflush(stdout);
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay_folder(const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, visible, alphasort);
    if (count <= 0) {
        printf("1..0 # SKIP there is no corpus in %s\n", folder);
        return EXIT_FAILURE;
    }
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        char path[MAX_PATH + NAME_MAX + 2];
        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        replay(path);
        free(entries[i]);
    }
    free(entries);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    const char *top = getenv("srcdir");
    char folder[MAX_PATH];
    if (argc == 1) {
        snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s", top != NULL ? top : ".", basename(argv[0]));
        return replay_folder(folder);
    }
    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    return EXIT_SUCCESS;
}
