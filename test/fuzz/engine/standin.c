/*
 * standin.c
 *	  Replacements for the few server functions that the engine needs.
 *
 * Every chunk is a separate malloc, so that AddressSanitizer detects overruns
 * and use after free; a context is a list of chunks.  An error is a longjmp to
 * the caller of the engine.  Functions that only workers need are left out,
 * because no workers are allowed.
 */
#include "standin.h"

#include "lib/pairingheap.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/shmem.h"
#include "utils/backend_status.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* no process here is a worker */
int			ParallelWorkerNumber = -1;

/* the clock of 19: the system's, which counts nanoseconds */
bool		timing_initialized = true;
bool		timing_tsc_enabled = false;
uint64		ticks_per_ns_scaled = 0;
uint64		max_ticks_no_overflow = 0;

typedef struct Chunk
{
	struct Chunk *next;
	struct Chunk *prev;
	Size		size;
	MemoryContext context;
} Chunk;

typedef struct Context
{
	MemoryContextData data;
	Chunk	   *chunks;
} Context;

sigjmp_buf	standin_error;
int			standin_sqlstate;
char		standin_message[1024];

MemoryContext CurrentMemoryContext;
int			maintenance_work_mem = 65536;
volatile	sig_atomic_t InterruptPending = false;

/* -------------------------------------------------------------- memory */

MemoryContext
AllocSetContextCreateInternal(MemoryContext parent, const char *name, Size min, Size initial, Size max)
{
	Context    *context = calloc(1, sizeof(Context));

	context->data.type = T_AllocSetContext;
	context->data.name = name;
	context->data.parent = parent;
	if (parent != NULL)
	{
		context->data.nextchild = parent->firstchild;
		if (parent->firstchild != NULL)
			parent->firstchild->prevchild = &context->data;
		parent->firstchild = &context->data;
	}
	return &context->data;
}

static void
chunk_unlink(Chunk *chunk)
{
	Context    *context = (Context *) chunk->context;

	if (chunk->prev != NULL)
		chunk->prev->next = chunk->next;
	else
		context->chunks = chunk->next;
	if (chunk->next != NULL)
		chunk->next->prev = chunk->prev;
	context->data.mem_allocated -= chunk->size;
}

static void *
chunk_link(Chunk *chunk, MemoryContext owner, Size size)
{
	Context    *context = (Context *) owner;

	chunk->size = size;
	chunk->context = owner;
	chunk->prev = NULL;
	chunk->next = context->chunks;
	if (context->chunks != NULL)
		context->chunks->prev = chunk;
	context->chunks = chunk;
	owner->mem_allocated += size;
	return chunk + 1;
}

void *
MemoryContextAllocExtended(MemoryContext context, Size size, int flags)
{
	Chunk	   *chunk;

	if ((flags & MCXT_ALLOC_HUGE) ? !AllocHugeSizeIsValid(size) : !AllocSizeIsValid(size))
		elog(ERROR, "invalid memory alloc request size %zu", size);
	/* memory must not be relied on to be zero unless requested */
	chunk = malloc(sizeof(Chunk) + size);
	memset(chunk + 1, (flags & MCXT_ALLOC_ZERO) ? 0 : 0x7f, size);
	return chunk_link(chunk, context, size);
}

void *
MemoryContextAlloc(MemoryContext context, Size size)
{
	return MemoryContextAllocExtended(context, size, 0);
}

void *
MemoryContextAllocZero(MemoryContext context, Size size)
{
	return MemoryContextAllocExtended(context, size, MCXT_ALLOC_ZERO);
}

void *
MemoryContextAllocHuge(MemoryContext context, Size size)
{
	return MemoryContextAllocExtended(context, size, MCXT_ALLOC_HUGE);
}

void *
palloc(Size size)
{
	return MemoryContextAlloc(CurrentMemoryContext, size);
}

void *
palloc0(Size size)
{
	return MemoryContextAllocZero(CurrentMemoryContext, size);
}

void
pfree(void *pointer)
{
	Chunk	   *chunk = (Chunk *) pointer - 1;

	chunk_unlink(chunk);
	free(chunk);
}

void *
repalloc_huge(void *pointer, Size size)
{
	Chunk	   *old = (Chunk *) pointer - 1;
	void	   *new = MemoryContextAllocHuge(old->context, size);

	memcpy(new, pointer, Min(old->size, size));
	pfree(pointer);
	return new;
}

void *
repalloc(void *pointer, Size size)
{
	if (!AllocSizeIsValid(size))
		elog(ERROR, "invalid memory alloc request size %zu", size);
	return repalloc_huge(pointer, size);
}

void
MemoryContextReset(MemoryContext context)
{
	while (context->firstchild != NULL)
		MemoryContextDelete(context->firstchild);
	while (((Context *) context)->chunks != NULL)
		pfree(((Context *) context)->chunks + 1);
}

void
MemoryContextDelete(MemoryContext context)
{
	MemoryContextReset(context);
	if (context->prevchild != NULL)
		context->prevchild->nextchild = context->nextchild;
	else if (context->parent != NULL)
		context->parent->firstchild = context->nextchild;
	if (context->nextchild != NULL)
		context->nextchild->prevchild = context->prevchild;
	free(context);
}

Size
MemoryContextMemAllocated(MemoryContext context, bool recurse)
{
	Size		size = context->mem_allocated;

	if (recurse)
		for (MemoryContext child = context->firstchild; child != NULL; child = child->nextchild)
			size += MemoryContextMemAllocated(child, true);
	return size;
}

static TimestampTz now;

void
standin_begin(void)
{
	now = 0;
	CurrentMemoryContext = AllocSetContextCreateInternal(NULL, "all", 0, 0, 0);
}

void
standin_end(void)
{
	while (CurrentMemoryContext->parent != NULL)
		CurrentMemoryContext = CurrentMemoryContext->parent;
	MemoryContextDelete(CurrentMemoryContext);
}

/* -------------------------------------------------------------- errors */

static int	level;				/* of the current error */

bool
errstart(int elevel, const char *domain)
{
	level = elevel;
	standin_sqlstate = ERRCODE_INTERNAL_ERROR;
	return true;
}

bool
errstart_cold(int elevel, const char *domain)
{
	return errstart(elevel, domain);
}

int
errcode(int sqlstate)
{
	standin_sqlstate = sqlstate;
	return 0;
}

static void
note(const char *format, va_list args)
{
	vsnprintf(standin_message, sizeof(standin_message), format, args);
}

#define MESSAGE(name) \
int \
name(const char *format, ...) \
{ \
	va_list		args; \
\
	va_start(args, format); \
	note(format, args); \
	va_end(args); \
	return 0; \
}

MESSAGE(errmsg)
MESSAGE(errmsg_internal)

int
errdetail(const char *format,...)
{
	return 0;
}

int
errhint(const char *format,...)
{
	return 0;
}

void
errfinish(const char *file, int line, const char *function)
{
	if (level >= ERROR)
		siglongjmp(standin_error, 1);
}

void
ProcessInterrupts(void)
{
}

/* ---------------------------------------------------------------- else */

/* The clock advances by one whenever it is read. */
TimestampTz
GetCurrentTimestamp(void)
{
	return ++now;
}

/* Characters are bytes here. */
int
pg_mblen(const char *string)
{
	return 1;
}

/* Progress is not reported. */
PgBackendStatus *MyBEEntry = NULL;

/* A heap as a sorted list. */
pairingheap *
pairingheap_allocate(pairingheap_comparator compare, void *arg)
{
	pairingheap *heap = palloc0(sizeof(pairingheap));

	heap->ph_compare = compare;
	heap->ph_arg = arg;
	return heap;
}

void
pairingheap_add(pairingheap * heap, pairingheap_node * node)
{
	pairingheap_node **at = &heap->ph_root;

	while (*at != NULL && heap->ph_compare(*at, node, heap->ph_arg) >= 0)
		at = &(*at)->next_sibling;
	node->next_sibling = *at;
	*at = node;
}

pairingheap_node *
pairingheap_remove_first(pairingheap * heap)
{
	pairingheap_node *first = heap->ph_root;

	heap->ph_root = first->next_sibling;
	return first;
}

/* Lists of numbers. */
List *
lappend_int(List *list, int datum)
{
	ListCell   *cells;

	if (list == NULL)
	{
		list = palloc0(sizeof(List));
		list->type = T_IntList;
	}
	if (list->length == list->max_length)
	{
		list->max_length = 2 * list->max_length + 1;
		cells = palloc(sizeof(ListCell) * list->max_length);
		if (list->length > 0)
			memcpy(cells, list->elements, sizeof(ListCell) * list->length);
		list->elements = cells;
	}
	list->elements[list->length++].int_value = datum;
	return list;
}

bool
list_member_int(const List *list, int datum)
{
	const ListCell *cell;

	foreach(cell, list)
	{
		if (lfirst_int(cell) == datum)
			return true;
	}
	return false;
}
