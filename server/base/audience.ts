/** What readers of articles have, and what an article asks of them. Articles without an audience are for everyone. */

/** What a reader has; one entry of an article's audience is enough. */
export type Grants = readonly string[];

/** Visitors of whom nothing is known. */
export const PUBLIC: Grants = [];
/** Members, and jobs that work on all articles. */
export const EVERYTHING: Grants = ['*'];

/** Returns what a visitor has whom the site has signed in. */
export const toGrants = (customer: { attributes?: readonly string[] | undefined } | undefined): Grants =>
  customer ? ['signed_in', ...(customer.attributes ?? [])] : PUBLIC;

/** Returns the entry of an audience that a value of an attribute is. */
export const toAudienceEntry = (name: string, value: string | boolean) => `${name}=${value}`.normalize('NFC');

type Attribute = {
  name: string;
  type: 'text' | 'boolean' | 'one_of';
  values?: readonly string[] | undefined;
};

/** Returns whether an entry applies to all customers, or a customer could have its value. */
export const isPossibleEntry = (entry: string, attributes: readonly Attribute[]) =>
  entry === 'signed_in' ||
  attributes.some(({ name, type, values = [] }) => {
    if (type === 'text') return entry.startsWith(`${name}=`);
    return (type === 'boolean' ? [true, false] : values).some(
      (value) => toAudienceEntry(name, value) === entry,
    );
  });
