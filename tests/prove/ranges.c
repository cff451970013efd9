/* For Frama-C's WP (tests/prove/run.sh): the range arithmetic of ops/kernel.c, for every plan that is sound, every range
 * of it, and blocks of any size; nothing is bounded but by the types.
 *
 * Shown of copy_part, copy_block, copy_blocks, repeat and copy_run, each by the contracts of those that it calls: no
 * operation overflows, signed or not; only what lies in the source is read, and only bytes [0, n) of `out` are written.
 * That plans are sound when copy_plan_init has made them is checked for the plans of kernel.c. What gather, spread, fill and
 * short blocks do within what they are given is not shown here, but in kernel.c for a small world.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*@ requires \valid_read(from + (0 .. n - 1)) && \valid(out + (0 .. n - 1));
    requires \separated(from + (0 .. n - 1), out + (0 .. n - 1));
    assigns out[0 .. n - 1]; */
void prove_copy(unsigned char *out, const unsigned char *from, size_t n);

#define memcpy(out, from, n) prove_copy(out, from, n)

/*@ requires \valid_read(from + (0 .. n - 1)) && \valid(out + (0 .. n - 1));
    requires \separated(from + (0 .. n - 1), out + (0 .. n - 1));
    assigns out[0 .. n - 1]; */
static inline void copy_run(unsigned char *out, const unsigned char *from, size_t n);

#include "ops/kernel_parts.h"

/* What products and quotients do, each to be called for the values at hand: provers do not find these among the facts of a
 * whole function. */
/*@ ghost
  /@ requires 0 <= stride;
     assigns \nothing;
     ensures 0 <= i < count ==> 0 <= i * stride <= (count - 1) * stride; @/
  void prove_steps(int64_t i, uint64_t count, int64_t stride)
  {
  }

  /@ requires 0 <= index < count;
     assigns \nothing;
     ensures (index + 1) * size == index * size + size <= count * size; @/
  void prove_one_more(int64_t index, uint64_t count, uint64_t size)
  {
  }

  /@ requires 0 <= index && 0 <= stride;
     assigns \nothing;
     ensures index + whole < count ==> 0 <= (index + whole) * stride <= (count - 1) * stride;
     ensures 0 < whole && index + whole <= count ==>
         0 <= (whole - 1) * stride && index * stride + (whole - 1) * stride <= (count - 1) * stride; @/
  void prove_further(int64_t index, uint64_t whole, uint64_t count, int64_t stride)
  {
    //@ assert index + whole <= count ==> (index + whole - 1) * stride <= (count - 1) * stride;
  }

  /@ requires 0 < count <= most && 0 <= stride && 0 < size;
     assigns \nothing;
     ensures size <= count * size <= most * size;
     ensures 0 <= (count - 1) * stride <= (most - 1) * stride;
     ensures \forall integer i; 0 <= i < count ==> 0 <= i * stride <= (count - 1) * stride;
     ensures \forall integer i; 0 <= i < count ==> 0 <= i * size <= i * size + size <= count * size; @/
  void prove_loop(uint64_t count, uint64_t most, int64_t stride, uint64_t size)
  {
    //@ assert \forall integer i; 0 <= i < count ==> i * size + size == (i + 1) * size;
    //@ assert \forall integer i; 0 <= i < count ==> (i + 1) * size <= count * size;
  }

  /@ requires 0 < size && pos < count * size;
     assigns \nothing;
     ensures pos / size < count; @/
  void prove_less(uint64_t pos, uint64_t size, uint64_t count)
  {
    //@ assert pos / size * size <= pos;
    //@ assert pos / size * size < count * size;
  }

  /@ requires 0 <= index && 0 < size && index * size + n <= count * size;
     assigns \nothing;
     ensures n / size * size + n % size == n;
     ensures 0 <= n % size < size;
     ensures 0 <= n / size;
     ensures index + n / size <= count;
     ensures 0 < n % size ==> index + n / size < count; @/
  void prove_whole(int64_t index, uint64_t n, uint64_t size, uint64_t count)
  {
    //@ assert n / size * size + n % size == n;
    //@ assert 0 <= n % size < size;
    //@ assert index * size + n / size * size <= count * size;
    //@ assert (index + n / size) * size <= count * size;
    //@ assert index + n / size <= count;
    //@ assert 0 < n % size ==> (index + n / size) * size < count * size;
  }
*/

/*@ axiomatic Blocks {
      // Bytes of the output, and of the source, that the block below `d` levels covers.
      logic integer covers{L}(struct copy_plan *p, integer d) reads p->depth, p->unit, p->level[0 .. 63];
      logic integer reaches{L}(struct copy_plan *p, integer d) reads p->depth, p->unit, p->level[0 .. 63];

      axiom covers_unit{L}: \forall struct copy_plan *p; covers(p, p->depth) == p->unit;
      axiom covers_level{L}: \forall struct copy_plan *p, integer d; 0 <= d < p->depth ==>
          covers(p, d) == p->level[d].count * p->level[d].size;
      axiom reaches_unit{L}: \forall struct copy_plan *p; reaches(p, p->depth) == p->unit;
      axiom reaches_level{L}: \forall struct copy_plan *p, integer d; 0 <= d < p->depth ==>
          reaches(p, d) == (p->level[d].count - 1) * p->level[d].stride + reaches(p, d + 1);
    }

    predicate sound{L}(struct copy_plan *p) =
        \valid_read(p) && 0 <= p->depth <= 64 && 1 <= p->unit <= INT64_MAX &&
        (\forall integer d; 0 <= d < p->depth ==>
            1 <= p->level[d].count <= INT64_MAX && 0 <= p->level[d].stride &&
            p->level[d].size == covers(p, d + 1)) &&
        (\forall integer d; 0 <= d <= p->depth ==> 1 <= covers(p, d) <= INT64_MAX && 1 <= reaches(p, d) <= INT64_MAX);
*/

/*@ assigns \nothing; */
bool fill_takes(size_t size);

/*@ requires \valid_read(element + (0 .. size - 1)) && \valid(out + (0 .. n - 1));
    requires \separated(element + (0 .. size - 1), out + (0 .. n - 1));
    assigns out[0 .. n - 1]; */
void copy_fill(unsigned char *out, uint64_t n, const unsigned char *element, size_t size);

/*@ requires \valid_read(level + (0 .. depth - 1)) && 1 <= depth;
    requires 1 <= count <= level->count && 0 < level->stride && 1 <= level->size < 2048;
    requires \valid(out + (0 .. count * level->size - 1));
    assigns out[0 .. count * level->size - 1]; */
void copy_short(const struct copy_level *level, int depth, size_t unit, const unsigned char *from, uint64_t count,
                unsigned char *out);

/*@ requires 1 <= block <= total <= INT64_MAX && \valid(out + (0 .. total - 1));
    assigns out[0 .. total - 1]; */
static void repeat(unsigned char *out, uint64_t block, uint64_t total);

/*@ requires sound(plan) && 0 <= depth <= plan->depth;
    requires \valid_read(from + (0 .. reaches(plan, depth) - 1)) && \valid(out + (0 .. covers(plan, depth) - 1));
    requires \separated(from + (0 .. reaches(plan, depth) - 1), out + (0 .. covers(plan, depth) - 1));
    requires \separated(plan, out + (0 .. covers(plan, depth) - 1));
    assigns out[0 .. covers(plan, depth) - 1]; */
static void copy_block(const struct copy_plan *plan, int depth, const unsigned char *from, unsigned char *out);

/*@ requires sound(plan) && 0 <= depth < plan->depth && 1 <= count <= plan->level[depth].count;
    requires \valid_read(from + (0 .. (count - 1) * plan->level[depth].stride + reaches(plan, depth + 1) - 1));
    requires \valid(out + (0 .. count * plan->level[depth].size - 1));
    requires \separated(from + (0 .. (count - 1) * plan->level[depth].stride + reaches(plan, depth + 1) - 1),
                        out + (0 .. count * plan->level[depth].size - 1));
    requires \separated(plan, out + (0 .. count * plan->level[depth].size - 1));
    assigns out[0 .. count * plan->level[depth].size - 1]; */
static void copy_blocks(const struct copy_plan *plan, int depth, const unsigned char *from, uint64_t count,
                        unsigned char *out);

/*@ requires sound(plan) && 0 <= depth <= plan->depth && pos + n <= covers(plan, depth);
    requires \valid_read(from + (0 .. reaches(plan, depth) - 1)) && \valid(out + (0 .. n - 1));
    requires \separated(from + (0 .. reaches(plan, depth) - 1), out + (0 .. n - 1)) && \separated(plan, out + (0 .. n - 1));
    assigns out[0 .. n - 1]; */
static void copy_part(const struct copy_plan *plan, int depth, const unsigned char *from, uint64_t pos, uint64_t n,
                      unsigned char *out);

#include "ops/kernel.c"
