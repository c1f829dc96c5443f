/*
 * composition.h
 *	  What several releases of a relation reveal together.
 */
#ifndef ANONOPT_COMPOSITION_H
#define ANONOPT_COMPOSITION_H

#include "release/release.h"

/*
 * Compares what will be shown with everything shown of the relation before;
 * warns or refuses, as anonopt.composition says.
 */
extern void composition_check(Release *release);

extern void composition_define_settings(void);

#endif
