/*
 * promise_model.h
 *	  The promises that a release can make.
 */
#ifndef ANONOPT_PROMISE_MODEL_H
#define ANONOPT_PROMISE_MODEL_H

/* In the order in which broken promises are listed. */
typedef enum PromiseModel
{
	MODEL_K,
	MODEL_L,
	MODEL_ENTROPY_L,
	MODEL_RECURSIVE_L,
	MODEL_T,
	MODEL_ALPHA,
	MODEL_BETA,
	MODEL_DISCLOSURE,
	MODEL_K_MAP,
	MODEL_PRESENCE,
	MODEL_AVERAGE_RISK,
	MODEL_SHARE_ABOVE,
	MODELS
} PromiseModel;

/* Sets of models. */
#define MODEL_BIT(model) (1u << (model))

/* What a model requires of the values of one column. */
typedef struct Condition
{
	PromiseModel model;
	double		threshold;
	double		c;				/* of recursive_l; of disclosure: 0 if only
								 * present values count */
} Condition;

/*
 * The most conditions of one column: those declared, and those of an earlier
 * release.
 */
#define MAX_CONDITIONS 16

#endif
