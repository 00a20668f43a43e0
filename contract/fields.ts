import { z } from 'zod';
import { CHAT_LIMITS } from './limits/chat.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { SOURCE_LIMITS } from './limits/sources.ts';

/** Wire fields that several resources use, each with bounds and a description. */

/** An object that takes no other fields, published as the schema with this id. */
export const namedObject = <Fields extends z.core.$ZodLooseShape>(
  id: string,
  description: string,
  fields: Fields,
) => z.strictObject(fields).meta({ id, description });

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** Returns the object with its names in camelCase, as the dashboard's API has them. */
export const inCamelCase = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [toCamelCase(name), value])) as {
    [Name in keyof Fields as CamelCase<Name>]: Fields[Name];
  };

const toCamelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Text that is not empty. */
export const text = (charsMax: number) => z.string().min(1).max(charsMax);

/** Text with something other than white space. */
export const visibleText = (charsMax: number) => text(charsMax).regex(/\S/);

export const pattern = (expression: RegExp, charsMax: number) => z.string().max(charsMax).regex(expression);

/** An http or https address, without control characters, which neither links nor databases can keep. */
export const webAddress = (charsMax: number) =>
  z
    .string()
    .max(charsMax)
    .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s]+$/, { error: 'expected an http or https URL', abort: true })
    .refine(
      (address) => !/\p{Cc}/u.test(address) && URL.canParse(address),
      'expected an http or https URL without control characters',
    );

/** The TypeID of a subject. */
export const typeId = (prefix: string, subject: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
    .max(prefix.length + 27)
    .meta({
      description: `${subject}: a TypeID with the prefix ${prefix}.`,
      example: `${prefix}_01kakv2fxse7wtg6x5r0h8rjbm`,
    });

export const appId = z
  .string()
  .regex(/^gp_[0-9A-Za-z_-]{4,64}$/)
  .max(67)
  .meta({ description: 'App id from the install script, prefixed `gp_`.', example: 'gp_demo' });

/** The id that a browser is given at boot is a credential, so data names visitors by a pseudonym. */
export const visitorId = typeId('vp', 'A visitor')
  .describe(
    'Pseudonym of a visitor in this workspace: a TypeID with the prefix vp. `/boot` does not take it.',
  )
  .meta({ example: 'vp_4kakv2fxse7wtg6x5r0h8rjbm0' });

/** Clients may choose their own conversation ids. */
export const conversationId = text(CHAT_LIMITS.clientIdCharsMax)
  .describe('Conversation id, chosen by the client or the service. Percent-encoded in a path.')
  .meta({ example: 'conv_01kakv2fxse7wtg6x5r0h8rjbm' });

export const messageId = typeId('msg', 'One answer of the guide');

export const articleId = typeId('art', 'A knowledge article');

export const collectionId = typeId('col', 'A collection of articles');

export const sourceId = typeId('src', 'A source of articles');

/** Limited in bytes, because it is part of an index, whose rows PostgreSQL limits. */
export const place = text(SOURCE_LIMITS.placeBytesMax)
  .describe(
    'Where a text is in its source: the canonical URL of a page without its fragment, or the path in an upload, such as ' +
      '`manual.zip/setup.md` or `faq.csv#returning-an-order`.',
  )
  .meta({ example: 'https://shop.example.com/help/returns' });

export const articleSource = namedObject(
  'ArticleSource',
  'The source that an article comes from, and its place there.',
  { sourceId, place },
);

export const translationId = typeId('tr', 'A translation of an article');

export const workspaceId = typeId('ws', 'A workspace');

export const memberId = typeId('mem', 'A member of one workspace');

export const memberRole = z.enum(['owner', 'admin', 'member']).meta({
  id: 'MemberRole',
  description: 'Role in a workspace: members read, admins edit, owners also manage ownership and deletion.',
});

export const actor = z
  .string()
  .max(64)
  .describe(
    'Id of a member, automation session or API key, `operator` (command line), `mail` (a reply by mail), `service` (by itself) or `unknown` (failed sign-in).',
  )
  .meta({ example: 'mem_01kakv2fxse7wtg6x5r0h8rjbm' });

export const network = z
  .string()
  .max(64)
  .describe('A network in CIDR notation: an address cut to 24 bits (IPv4) or 48 bits (IPv6).')
  .meta({ example: '203.0.113.0/24' });

export const moment = z.iso.datetime().max(32).meta({ example: '2026-11-21T09:30:00.000Z' });

/** A time in a request may name any time zone, as RFC 3339 allows. */
export const zonedMoment = z.iso
  .datetime({ offset: true })
  .max(40)
  .meta({ description: 'Time with its time zone, in RFC 3339 format.', example: '2026-11-21T09:30:00.000Z' });

/** Like `zonedMoment`, without its example, which lies in the past. */
export const futureMoment = z.iso.datetime({ offset: true }).max(40);

/** Four-digit years, with room for the default range before the earliest date. */
const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');

/** Returns false outside of the queryable years, and for NaN (an invalid date). */
export const isQueryable = (millis: number) => millis >= FIRST_MOMENT && millis <= LAST_MOMENT;

export const queryMoment = zonedMoment.refine(
  (text) => isQueryable(Date.parse(text)),
  'Expected a moment of the years 0001 to 9999.',
);

/** Maximum local part of an address (RFC 5321, 4.5.3.1.1). */
const MAILBOX_CHARS_MAX = 64;

export const email = z
  .email()
  .max(254)
  .refine((address) => address.indexOf('@') <= MAILBOX_CHARS_MAX, 'The part before the @ is too long.')
  .meta({ description: 'Email address. Case-insensitive.', example: 'ada@example.com' });

/** Token of a one-time link. Sent in a header, because request logs contain URLs. */
export const LINK_HEADER = 'x-guidepost-link';

export const linkHeader = {
  [LINK_HEADER]: text(128)
    .regex(/^[A-Za-z0-9_-]+$/)
    .describe('The token after `#token=` in the link.')
    .meta({ example: 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k' }),
};

export const revisionNumber = z.int32().min(1).meta({ example: 3 });

/** A revision number as a part of a path. */
export const pathRevision = pattern(/^[1-9]\d{0,9}$/, 10).meta({
  description: 'Revision number, from 1.',
  example: '3',
});

/** Long enough for the longest conversation id. */
export const cursor = text(2048)
  .regex(/^[A-Za-z0-9_-]+$/)
  .meta({ description: 'Opaque pagination cursor.', example: 'YXJ0XzAxa2FrdjJmeHNlN3d0ZzZ4NXIwaDhyamJt' });

/** An integer in a query. Accepts plain digits only, unlike Number(). */
export const wholeNumber = (min: number, max: number, defaultValue: number) =>
  z.preprocess((input, context) => {
    if (typeof input !== 'string') return input;
    if (/^\d{1,15}$/.test(input)) return Number(input);
    context.addIssue('Expected a whole number in plain digits.');
    return z.NEVER;
  }, z.int().min(min).max(max).default(defaultValue));

/** Query parameters of every list. */
export const pageQuery = {
  limit: wholeNumber(1, REQUEST_LIMITS.pageRowsMax, REQUEST_LIMITS.pageRowsDefault).meta({
    description: 'Maximum number of rows.',
    example: 50,
  }),
  cursor: cursor.optional().describe('Pagination cursor from `nextCursor`.'),
};

/** Builds the schema of a page of a list. `name` becomes the name of the schema. */
export function buildPage<T extends z.ZodType>(name: string, row: T) {
  return z
    .strictObject({
      data: z.array(row).max(REQUEST_LIMITS.pageRowsMax),
      nextCursor: cursor.optional().describe('Cursor for the next page. Absent on the last page.'),
    })
    .meta({ id: name });
}

/** A yes or no in a query. `true` and `false` are keywords, so generated constants have other names. */
export const yesOrNo = (id: string, description: string) =>
  z.enum(['true', 'false']).meta({ id, 'x-enum-varnames': ['yes', 'no'], description });

export const okReply = namedObject('OkReply', 'The action succeeded.', {
  ok: z.literal(true).describe('Always `true`.'),
});

export const locale = z
  .string()
  .min(2)
  .max(64)
  .regex(/^[A-Za-z0-9-]+$/)
  .meta({ description: 'A language tag in canonical BCP 47 form, such as de or pt-BR.', example: 'de' });

/** Only its first kilobyte is read; unusable languages in it are skipped. */
export const acceptLanguage = z
  .string()
  .max(8192)
  .optional()
  .meta({ description: "The visitor's languages.", example: 'de-AT,de;q=0.9,en;q=0.5' });

export const unixSeconds = z
  .int()
  .min(0)
  .max(9_999_999_999)
  .meta({ description: 'Time in seconds since 1970-01-01T00:00:00Z.', example: 1_790_000_000 });

/** Browsers' clocks may have fractions of a millisecond. */
export const unixMillis = z
  .number()
  .min(0)
  .max(9_999_999_999_999)
  .meta({ description: 'Time in milliseconds since 1970-01-01T00:00:00Z.', example: 1_790_000_000_000 });

export const pageUrl = text(REQUEST_LIMITS.urlCharsMax)
  .describe('Full http or https URL of the page that the visitor is on.')
  .meta({ example: 'https://shop.example.com/pricing' });

export const origin = text(512)
  .describe('A web origin: scheme, host and, unless it is the default, port.')
  .meta({ example: 'https://shop.example.com' });

/** Pages scroll, zoom and rotate, so a pixel value may be any finite number of a sane size. */
export const pixels = z
  .number()
  .min(-10_000_000)
  .max(10_000_000)
  .meta({ description: 'A length or position in CSS pixels.', example: 800 });
const size = z
  .number()
  .min(0)
  .max(10_000_000)
  .meta({ description: 'A length in CSS pixels, not negative.', example: 1280 });

/** A common desktop screen, for pages that do not say. */
const width = size.default(1280);
const height = size.default(720);

export const viewport = namedObject('Viewport', 'The visible part of the page.', {
  width,
  height,
  dpr: z.number().min(0).max(100).default(1).describe('Device pixels per CSS pixel.').meta({ example: 2 }),
});

export const documentSize = namedObject('DocumentSize', 'Size of the whole page in CSS pixels.', {
  width,
  height,
});

export const scrollPosition = namedObject('ScrollPosition', 'Scroll position of the page.', {
  x: pixels,
  y: pixels,
});

export const boundingBox = namedObject(
  'BoundingBox',
  'A rectangle in CSS pixels, from its top left corner.',
  {
    x: pixels,
    y: pixels,
    width: size,
    height: size,
  },
);

/** Upper case is canonical; browsers may send lower case. */
export const countryCode = z
  .string()
  .regex(/^[A-Za-z]{2}$/)
  .max(2)
  .meta({ description: 'ISO 3166-1 alpha-2 country code, or `ZZ` if unknown.', example: 'DE' });

export const regionCode = z
  .string()
  .regex(/^[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?$/)
  .max(6)
  .meta({ description: 'ISO 3166-2 region code, else the country code, else `ZZ`.', example: 'DE-BE' });

/** Deeper than the service ever writes, and shallow enough for a recursive reader. */
const JSON_DEPTH_MAX = 32;

/** Parses JSON in exactly the form that the service writes; undefined for any other text. */
export function parseCanonicalJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isShallow(JSON_DEPTH_MAX, value) && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function isShallow(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isShallow(levels - 1, part));
}

const isCanonicalObject = (text: string) => {
  const value = parseCanonicalJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
};

/** A JSON object as canonical text. Rejects other spellings: parsers disagree on duplicate members and huge numbers. */
export const canonicalObject = (charsMax: number, description: string, example: string) =>
  z
    .string()
    .max(charsMax)
    .refine(isCanonicalObject, {
      error: 'expected a JSON object as text, as the service writes it',
      abort: true,
    })
    .describe(description)
    .meta({ example });
