/*
 * level_losses.c
 *	  The loss of nodes without suppression, a sum over their levels.
 */
#include "search/level_losses.h"

bool
is_sum_of_levels(Objective loss)
{
	return loss == OBJECTIVE_GLM || loss == OBJECTIVE_NWP;
}

LevelLosses *
level_losses_create(const Population *population, Objective loss)
{
	LevelLosses *losses = palloc0(sizeof(LevelLosses));
	double		weights = 0;

	losses->nattrs = population->nattrs;
	losses->divisor = loss == OBJECTIVE_NWP ? population->people : 1;
	for (int a = 0; a < population->nattrs; a++)
		weights += population->attrs[a].weight;
	for (int a = 0; a < population->nattrs; a++)
	{
		const Attribute *attr = &population->attrs[a];

		losses->loss[a] = palloc(sizeof(double) * (attr->hierarchy->height + 1));
		for (int level = 0; level <= attr->hierarchy->height; level++)
		{
			losses->loss[a][level] = attribute_loss(attr, attr->hierarchy->levels[level].loss);
			if (loss == OBJECTIVE_NWP)
				losses->loss[a][level] *= attr->weight / weights;
		}
	}
	return losses;
}
