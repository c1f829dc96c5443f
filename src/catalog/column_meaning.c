/*
 * column_meaning.c
 *	  What a column's name suggests about its values.
 *
 * These are guesses in a few languages, not proof.  A name consists of words,
 * divided by whatever is not a letter and where a capital follows a small
 * letter.  Some words of the lists mean something else within others, such as
 * age in wage; these have blanks around them, and must be words of their own.
 */
#include "catalog/column_meaning.h"

#include <ctype.h>

static const char *const names[] = {
	"surname", "lastname", "last name", "firstname", "first name", "fullname", "full name", "forename", "familyname", "family name",
	"givenname", "given name", "middle name", "maiden name", "username", "user name", "patient name", "person name", "customer name",
	"client name", "employee name", "member name", "contact name", "vorname", "nachname", " nom ", "prenom", "nombre", "apellido",
	"cognome", "sobrenome", NULL
};
static const char *const contacts[] = {
	"mail", "phone", "mobile", "telefon", " tel ", "ssn", "iban", "passport", "fax", "social security", "card number", "account number", "street", "strasse", "calle", "imei", "imsi", "msisdn", NULL
};
static const char *const private[] = {
	"diagnos", "disease", "illness", "religio", "ethnic", "salary", "income", "wage", " hiv ", "medication", "drug", "treatment", "therapy",
	"orientation", "politic", "verdict", "outcome", NULL
};
static const char *const widely_known[] = {
	"birth", " dob ", " yob ", "geburt", "naiss", "nacimiento", "nascita", "nascimento", "gender", " sex ", "sexe", "sexo", "sesso", "geschlecht",
	" zip ", "zipcode", "postcode", "post code", "postal", " plz ", "postleitzahl", NULL
};
static const char *const known[] = {
	" age ", " alter ", "edad", " city ", "town", "municip", "ville", "stadt", "wohnort", " ort ", "ciudad", "county", "district", "region",
	"country", "nationality", " nation ", "citizen", " race ", "ethnic", "marital", "civil", "familienstand", "relationship", "profession", "occupation",
	"beruf", " job ", "educat", "school", "employer", NULL
};

static const char *const *const words[] = {
	[MEANS_NAME] = names,
	[MEANS_CONTACT] = contacts,
	[MEANS_PRIVATE] = private,
	[MEANS_WIDELY_KNOWN] = widely_known,
	[MEANS_KNOWN] = known
};

bool
column_means(const char *column, ColumnMeaning meaning)
{
	char		name[2 * NAMEDATALEN + 2] = " ";	/* with a blank around
													 * each word */
	int			n = 1;

	for (const char *at = column; *at != '\0' && at < column + NAMEDATALEN; at++)
	{
		if (at > column && isupper((unsigned char) *at) && islower((unsigned char) at[-1]))
			name[n++] = ' ';
		name[n++] = isalpha((unsigned char) *at) || IS_HIGHBIT_SET(*at) ? pg_ascii_tolower(*at) : ' ';
	}
	name[n++] = ' ';
	for (const char *const *word = words[meaning]; *word != NULL; word++)
		if (strstr(name, *word) != NULL)
			return true;
	/* a name that says no more */
	return meaning == MEANS_NAME && strcmp(name, " name ") == 0;
}
