/*
 * possible.c
 *	  Possible tuples: a class whose labels cover several tuples leaves at least
 *	  so many that somebody in it may have.
 *
 * How many are left follows from the labels of all classes, and not from their
 * people (engine/refinement.c).  A class keeps its possible tuples when classes
 * are merged, or hidden.
 */
#include "promise/model.h"

const Model possible_model = {.name = "possible_tuples",.scope = ABOUT_BOXES,.range = RANGE_COUNT,.more_is_stricter = true,.least_counts = true};
