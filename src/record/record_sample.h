/*
 * record_sample.h
 *	  First answers, from random nodes.
 */
#ifndef ANONOPT_RECORD_SAMPLE_H
#define ANONOPT_RECORD_SAMPLE_H

#include "record/record_run.h"

/*
 * Offers random nodes that are just useful enough for some tuple, as first
 * answers.
 */
extern void offer_samples(RecordRun *run);

#endif
