/* Doubly linked lists whose links stand in the items. An item is in at most one list per link; a link that is
 * in none points to itself. No allocation, no locking.
 */
#ifndef SRC_LIST_H
#define SRC_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
    struct list *prev, *next;
};

/* The item that holds the link. */
#define list_item(link, type, member) ((type *)(void *)((char *)(link) - offsetof(type, member)))

static inline void list_init(struct list *list)
{
    list->prev = list->next = list;
}

static inline bool list_empty(const struct list *list)
{
    return list->next == list;
}

/* `link` must be in no list. */
static inline void list_append(struct list *list, struct list *link)
{
    link->prev = list->prev;
    link->next = list;
    list->prev->next = link;
    list->prev = link;
}

/* Takes the link out of its list, if it is in one. */
static inline void list_remove(struct list *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    list_init(link);
}

/* Makes `list`, which is not initialised, hold all that `from` holds; `from` is empty then. */
static inline void list_move(struct list *list, struct list *from)
{
    list_init(list);
    if (list_empty(from))
        return;
    *list = *from;
    list->next->prev = list->prev->next = list;
    list_init(from);
}

#endif
