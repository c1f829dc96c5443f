/*
 * k.c
 *	  k-anonymity: each class has at least k people.
 */
#include "promise/model.h"

const Model k_model = {.name = "k",.scope = ABOUT_SIZES,.range = RANGE_COUNT,.more_is_stricter = true,
.may_know_columns = true,.may_know_rows = true,.more_keep_it = true};
