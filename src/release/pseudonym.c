/*
 * pseudonym.c
 *	  Keys shown as keyed hashes: HMAC-SHA-256 of a value's text.
 *
 * Without the secret, nobody can find the value of a pseudonym by trying all
 * values, as is possible with a plain hash.  The secret is stored in a table
 * that only the extension's owner may read, is never put into a statement, and
 * is not dumped.  Therefore only tables, which this process writes, can have
 * pseudonyms; a view would have to disclose the secret to its readers.
 */
#include "release/pseudonym.h"

#include "catalog/own_objects.h"
#include "catalog/pg_type.h"
#include "catalog/sql.h"
#include "common/sha2.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static void
hash(pg_hmac_ctx * hmac, const uint8 * key, Size key_length, const uint8 * bytes, Size n, uint8 * result)
{
	if (pg_hmac_init(hmac, key, key_length) < 0 || pg_hmac_update(hmac, bytes, n) < 0 ||
		pg_hmac_final(hmac, result, PG_SHA256_DIGEST_LENGTH) < 0)
		elog(ERROR, "could not compute a keyed hash");
}

/* The declared secret; NULL if there is none, which means a new one each time. */
static bytea *
declared_secret(const Dataset *dataset, const char *column)
{
	const Oid	type = BYTEAOID;
	QueryRows  *rows = read_catalog("SELECT secret FROM anonopt.pseudonym_secret WHERE dataset = $1 AND column_name = $2",
									add_name(add_text(NULL, dataset->name), column), 1, &type);
	bool		isnull;
	Datum		secret;

	if (rows->n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("secret of column \"%s\" of data set \"%s\" is missing", column, dataset->name),
				 errdetail("Secrets are not dumped."),
				 errhint("Call anonopt.set_pseudonym again.")));
	secret = row_value(rows, 0, 0, &isnull);
	return isnull ? NULL : DatumGetByteaPP(secret);
}

Pseudonym *
pseudonym_begin(const Dataset *dataset, const char *column, Oid type, int spooled)
{
	Pseudonym  *pseudonym = palloc0(sizeof(Pseudonym));
	bytea	   *secret = declared_secret(dataset, column);
	uint8		name[PG_SHA256_DIGEST_LENGTH];
	Oid			output;
	bool		varlena;

	pseudonym->column = column;
	pseudonym->spooled = spooled;
	pseudonym->declared = secret != NULL;
	pseudonym->key_length = secret != NULL ? VARSIZE_ANY_EXHDR(secret) : PG_SHA256_DIGEST_LENGTH;
	pseudonym->key = palloc(pseudonym->key_length + 1);
	if (secret != NULL)
		memcpy(pseudonym->key, VARDATA_ANY(secret), pseudonym->key_length);
	else if (!pg_strong_random(pseudonym->key, pseudonym->key_length))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	pseudonym->hmac = pg_hmac_create(PG_SHA256);
	if (pseudonym->hmac == NULL)
		elog(ERROR, "could not compute a keyed hash");

	/*
	 * no value's text begins with a zero byte, so this is never a value's
	 * pseudonym
	 */
	hash(pseudonym->hmac, pseudonym->key, pseudonym->key_length, (const uint8 *) "\0anonopt secret", 15, name);
	pseudonym->secret_name = palloc(VARHDRSZ + SECRET_NAME_BYTES);
	SET_VARSIZE(pseudonym->secret_name, VARHDRSZ + SECRET_NAME_BYTES);
	memcpy(VARDATA(pseudonym->secret_name), name, SECRET_NAME_BYTES);
	getTypeOutputInfo(type, &output, &varlena);
	fmgr_info(output, &pseudonym->output);
	return pseudonym;
}

void
pseudonym_end(Pseudonym *pseudonym)
{
	pg_hmac_free(pseudonym->hmac);
	explicit_bzero(pseudonym->key, pseudonym->key_length);
}

void
pseudonym_of(Pseudonym *pseudonym, Datum value, uint8 * result)
{
	char	   *text = OutputFunctionCall(&pseudonym->output, value);
	uint8		whole[PG_SHA256_DIGEST_LENGTH];

	hash(pseudonym->hmac, pseudonym->key, pseudonym->key_length, (const uint8 *) text, strlen(text), whole);
	memcpy(result, whole, PSEUDONYM_BYTES);
	pfree(text);
}

Datum
pseudonym_text(Pseudonym *pseudonym, Datum value)
{
	uint8		bytes[PSEUDONYM_BYTES];
	char		digits[2 * PSEUDONYM_BYTES + 1];

	pseudonym_of(pseudonym, value, bytes);
	for (int i = 0; i < PSEUDONYM_BYTES; i++)
		snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
	return CStringGetTextDatum(digits);
}
