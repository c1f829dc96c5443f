/*
 * record_walk.c
 *	  BTDA and ARUBA as in the paper, for any risk and utility.
 *
 * For studying the algorithms: the nodes of a single record's lattice are
 * visited one by one.  The search for all records is in record_search.c.
 *
 * A frontier node is feasible, and a node directly above it is not.  ARUBA
 * moves from frontier node to frontier node, through the cube of neighbours
 * that differ by at most a level in each dimension, and reaches all of them if
 * utility is monotone, at the lattice's border, too.  The paper proves only
 * that an inner frontier node has frontier neighbours, so here is why:
 *
 * Let v be any point of the infinite grid, and let a staircase begin there: it
 * takes a step down in the first dimension, the second, to the last, and again
 * in the first.  It comes from infinitely far above.  Move each of its points
 * that is outside of the lattice to the nearest node.  The staircase then
 * begins at the most general node and ends at the most specific one, and each
 * of its steps is one step in the lattice or none.  So if the most general
 * node is infeasible and the most specific one is feasible, its first feasible
 * node is a frontier node; call it f(v).
 *
 * Every frontier node x is some f(v): if the node above it in dimension i is
 * infeasible, take the staircase whose step in i leads from that node to x.
 *
 * If w is v with a further step down in dimension j, then f(v) and f(w) are in
 * one cube.  After s steps, let v's staircase be feasible for the first time.
 * That of w is then feasible, since it is at or below; and after s - 1 - n
 * steps, in n dimensions, it is not: n steps earlier it was higher by one in
 * every dimension, j among them, so it is at or above where v's was after
 * s - 1.  So w's is feasible first after s - n to s steps.  Consecutive steps,
 * n at most, take each dimension at most once.  Thus f(w) differs from f(v) by
 * one step down in j and at most one up in each dimension: in each by at most
 * one level.  Moving points to the nearest node takes none farther apart.
 *
 * Single steps lead from any v to any other, so cubes lead from any frontier
 * node to any other.  If the most general node is feasible, the frontier is
 * empty and that node has the least risk.
 */
#include "record/record_parts.h"

#include "miscadmin.h"

/* The node one step away in a dimension, or -1. */
static int
neighbour(const WalkLattice *lattice, int node, int dimension, int step)
{
	int			stride = 1;
	int			to;

	for (int d = lattice->ndims - 1; d > dimension; d--)
		stride *= lattice->size[d];
	to = node / stride % lattice->size[dimension] + step;
	return to < 0 || to >= lattice->size[dimension] ? -1 : node + step * stride;
}

static bool
is_feasible(const WalkLattice *lattice, int node)
{
	return lattice->utility[node] >= lattice->least_utility;
}

/* Visits a node, unless it has been visited. */
static bool
visit(WalkLattice *lattice, int node)
{
	if (lattice->seen[node])
		return false;
	lattice->seen[node] = true;
	lattice->visited[lattice->nvisited++] = node;
	return true;
}

/* Orders by less risk, then more utility, then more general. */
static int
compare_nodes(const WalkLattice *lattice, int a, int b)
{
	if (lattice->risk[a] != lattice->risk[b])
		return lattice->risk[a] < lattice->risk[b] ? -1 : 1;
	if (lattice->utility[a] != lattice->utility[b])
		return lattice->utility[a] > lattice->utility[b] ? -1 : 1;
	return a - b;
}

/* Orders by risk, then by less utility, since that is the more general node. */
static int
compare_queued(const pairingheap_node * a, const pairingheap_node * b, void *arg)
{
	const WalkLattice *lattice = arg;
	int			x = a - lattice->queued;
	int			y = b - lattice->queued;

	if (lattice->risk[x] != lattice->risk[y])
		return lattice->risk[x] < lattice->risk[y] ? 1 : -1;
	if (lattice->utility[x] != lattice->utility[y])
		return lattice->utility[x] < lattice->utility[y] ? 1 : -1;
	return y - x;
}

/* Visits the nodes directly below one, in order of risk, and queues new ones. */
static void
expand(WalkLattice *lattice, pairingheap * queue, int node)
{
	int			below[MAX_WALK_DIMENSIONS];
	int			n = 0;

	for (int d = 0; d < lattice->ndims; d++)
	{
		int			next = neighbour(lattice, node, d, 1);
		int			place = n;

		if (next < 0)
			continue;
		for (; place > 0 && lattice->risk[below[place - 1]] > lattice->risk[next]; place--)
			below[place] = below[place - 1];
		below[place] = next;
		n++;
	}
	for (int i = 0; i < n; i++)
		if (visit(lattice, below[i]))
			pairingheap_add(queue, &lattice->queued[below[i]]);
}

void
walk_btda(WalkLattice *lattice)
{
	pairingheap *queue = pairingheap_allocate(compare_queued, lattice);

	lattice->queued = palloc(sizeof(pairingheap_node) * lattice->nnodes);
	lattice->best = -1;
	visit(lattice, 0);
	pairingheap_add(queue, &lattice->queued[0]);
	while (!pairingheap_is_empty(queue))
	{
		int			node = pairingheap_remove_first(queue) - lattice->queued;

		CHECK_FOR_INTERRUPTS();
		if (is_feasible(lattice, node))
		{
			lattice->best = node;
			return;
		}
		expand(lattice, queue, node);
	}
}

/* The first infeasible node directly above one, or -1. */
static int
infeasible_above(const WalkLattice *lattice, int node)
{
	for (int d = 0; d < lattice->ndims; d++)
	{
		int			above = neighbour(lattice, node, d, -1);

		if (above >= 0 && !is_feasible(lattice, above))
			return above;
	}
	return -1;
}

/*
 * Climbs from the most specific node, one dimension after another, to the
 * first frontier node, or to the top if everything is feasible; -1 if nothing
 * is.  It must not climb past a frontier node: what has been visited is not
 * taken from a cube any more.
 */
static int
first_frontier_node(WalkLattice *lattice)
{
	int			node = lattice->nnodes - 1;

	visit(lattice, node);
	if (!is_feasible(lattice, node))
		return -1;
	for (int d = 0; d < lattice->ndims;)
	{
		int			infeasible = infeasible_above(lattice, node);
		int			above = neighbour(lattice, node, d, -1);

		if (infeasible >= 0)
		{
			visit(lattice, infeasible);
			break;
		}
		if (above < 0)
		{
			d++;
			continue;
		}
		visit(lattice, above);
		node = above;
	}
	return node;
}

/* Visits the new nodes in a node's adjacency cube, and queues those of the frontier. */
static void
visit_cube(WalkLattice *lattice, int node, int *waiting, int *nwaiting)
{
	int			cube = 1;

	for (int d = 0; d < lattice->ndims; d++)
		cube *= 3;
	for (int i = 0; i < cube; i++)
	{
		int			other = node;

		for (int d = lattice->ndims - 1, rest = i; d >= 0 && other >= 0; d--, rest /= 3)
			if (rest % 3 != 1)
				other = neighbour(lattice, other, d, rest % 3 - 1);
		if (other >= 0 && visit(lattice, other) && is_feasible(lattice, other) && infeasible_above(lattice, other) >= 0)
			waiting[(*nwaiting)++] = other;
	}
}

void
walk_aruba(WalkLattice *lattice)
{
	int		   *waiting = palloc(sizeof(int) * (lattice->nnodes + 1));
	int			nwaiting = 0;

	lattice->best = first_frontier_node(lattice);
	if (lattice->best >= 0)
		waiting[nwaiting++] = lattice->best;
	for (int i = 0; i < nwaiting; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (compare_nodes(lattice, waiting[i], lattice->best) < 0)
			lattice->best = waiting[i];
		visit_cube(lattice, waiting[i], waiting, &nwaiting);
	}
}

/*
 * Branch and bound, depth first from the most general node: it does not visit
 * nodes below a feasible one, or below one riskier than the best so far.
 */
void
walk_branch_and_bound(WalkLattice *lattice)
{
	Size		room = (Size) lattice->nnodes * lattice->ndims + 1;
	int		   *stack = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(int) * room);
	Size		n = 0;

	lattice->best = -1;
	stack[n++] = 0;
	while (n > 0)
	{
		int			node = stack[--n];

		CHECK_FOR_INTERRUPTS();
		if (!visit(lattice, node))
			continue;
		if (is_feasible(lattice, node))
		{
			if (lattice->best < 0 || compare_nodes(lattice, node, lattice->best) < 0)
				lattice->best = node;
			continue;
		}
		if (lattice->best >= 0 && lattice->risk[node] > lattice->risk[lattice->best])
			continue;
		for (int d = lattice->ndims - 1; d >= 0; d--)
		{
			int			below = neighbour(lattice, node, d, 1);

			if (below >= 0 && !lattice->seen[below])
				stack[n++] = below;
		}
	}
}
