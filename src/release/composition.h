/*
 * composition.h
 *	  What several releases of one relation tell together.
 */
#ifndef ANONOPT_COMPOSITION_H
#define ANONOPT_COMPOSITION_H

#include "release/release.h"

/*
 * Compares what is to be shown with all that was shown of the relation
 * before; warns or refuses, as anonopt.composition says.
 */
extern void composition_check(Release *release);

extern void composition_define_settings(void);

#endif
