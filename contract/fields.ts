import { z } from 'zod';
import { LIMITS } from './limits.ts';

/** Wire fields that more than one surface uses. Every one is a named thing with bounds and a description. */

/** The form of a TypeID. */
export const typeId = (prefix: string) => new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`);

export const appId = z
  .string()
  .regex(/^gp_[0-9A-Za-z_-]{4,64}$/)
  .max(67)
  .describe('The app id from the install script, prefixed gp_ (interface document, section 2.2).')
  .meta({ example: 'gp_demo' });

export const visitorId = z
  .string()
  .regex(typeId('vis'))
  .max(30)
  .describe('A visitor of one workspace: a TypeID with the prefix vis.')
  .meta({ example: 'vis_01kakv2fxse7wtg6x5r0h8rjbm' });

/** A client may make its own conversation ids, so any short, printable, unpadded word is one. */
export const conversationId = z
  .string()
  .regex(/^[0-9A-Za-z_.:-]{1,128}$/)
  .max(128)
  .describe(
    'A conversation, named by the client or by the service; 1 to 128 letters, digits or any of `_.:-`.',
  )
  .meta({ example: 'conv_01kakv2fxse7wtg6x5r0h8rjbm' });

export const messageId = z
  .string()
  .regex(typeId('msg'))
  .max(30)
  .describe('One answer of the guide: a TypeID with the prefix msg.')
  .meta({ example: 'msg_01kakv2fxse7wtg6x5r0h8rjbm' });

export const articleId = z
  .string()
  .regex(typeId('art'))
  .max(30)
  .describe('A knowledge article: a TypeID with the prefix art.')
  .meta({ example: 'art_01kakv2fxse7wtg6x5r0h8rjbm' });

export const translationId = z
  .string()
  .regex(typeId('tr'))
  .max(29)
  .describe('A translation of an article: a TypeID with the prefix tr.')
  .meta({ example: 'tr_01kakv2fxse7wtg6x5r0h8rjbm' });

export const workspaceId = z
  .string()
  .regex(typeId('ws'))
  .max(29)
  .describe('A workspace, "tenant" in addresses: a TypeID with the prefix ws.')
  .meta({ example: 'ws_01kakv2fxse7wtg6x5r0h8rjbm' });

export const memberId = z
  .string()
  .regex(typeId('mem'))
  .max(30)
  .describe('A member of one workspace: a TypeID with the prefix mem.')
  .meta({ example: 'mem_01kakv2fxse7wtg6x5r0h8rjbm' });

/** What somebody may do in a workspace. */
export const memberRole = z.enum(['owner', 'admin', 'member']).meta({
  id: 'MemberRole',
  description: 'What somebody may do in a workspace: a member reads, an admin changes, an owner owns it too.',
});

/** Who did something in a workspace. */
export const actor = z
  .string()
  .max(64)
  .describe('The id of the member who did it, or `operator` for what came from the command line.')
  .meta({ example: 'mem_01kakv2fxse7wtg6x5r0h8rjbm' });

export const moment = z.iso
  .datetime()
  .max(32)
  .describe('A moment in UTC, in the form of ISO 8601.')
  .meta({ example: '2026-11-21T09:30:00.000Z' });

/** Years of four digits, with room for the days before them that figures begin with when nothing is said. */
const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether a query may name this moment; what no calendar has, NaN, it may not. */
export const canBeAskedFor = (millis: number) => millis >= FIRST_MOMENT && millis <= LAST_MOMENT;

/** A moment in a query. */
export const askedMoment = moment.refine(
  (text) => canBeAskedFor(Date.parse(text)),
  'Expected a moment of the years 0001 to 9999.',
);

/** The most that mail servers take before the @ (RFC 5321, 4.5.3.1.1). */
const MAILBOX_CHARS_MAX = 64;

export const email = z
  .email()
  .max(254)
  .refine((address) => address.indexOf('@') <= MAILBOX_CHARS_MAX, 'The part before the @ is too long.')
  .describe('The email address of a person; upper and lower case are the same.')
  .meta({ example: 'ada@example.com' });

/** A one-time link's token, in a header: request logs hold URLs. */
export const LINK_HEADER = 'x-guidepost-link';

export const linkHeader = {
  [LINK_HEADER]: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[A-Za-z0-9_-]+$/)
    .describe('The token after `#token=` in the link.')
    .meta({ example: 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k' }),
};

export const revisionNumber = z
  .int32()
  .min(1)
  .describe('Counts the revisions of one article or translation, from 1.')
  .meta({ example: 3 });

export const cursor = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[A-Za-z0-9_-]+$/)
  .describe('Where the next page begins, as the page before said; opaque.')
  .meta({ example: 'YXJ0XzAxa2FrdjJmeHNlN3d0ZzZ4NXIwaDhyamJt' });

/** A whole number in a query, where everything is text: plain digits, and not what else JavaScript reads as a number. */
export const wholeNumber = (min: number, max: number, usual: number) =>
  z.preprocess((given, context) => {
    if (typeof given !== 'string') return given;
    if (/^\d{1,15}$/.test(given)) return Number(given);
    context.addIssue('Expected a whole number in plain digits.');
    return z.NEVER;
  }, z.int().min(min).max(max).default(usual));

/** Query of every list: how many rows, and from where on. */
export const pageQuery = {
  limit: wholeNumber(1, LIMITS.pageRowsMax, LIMITS.pageRowsUsual)
    .describe('How many rows at most.')
    .meta({ example: 50 }),
  cursor: cursor.optional().describe('Where the page begins, as `nextCursor` of the page before said.'),
};

/** A page of a list; `name` is what the page is called in the document. */
export function pageOf<T extends z.ZodType>(name: string, row: T, what: string) {
  return z
    .strictObject({
      data: z.array(row).max(LIMITS.pageRowsMax).describe(`The rows of this page: ${what}.`),
      nextCursor: cursor
        .optional()
        .describe('Send it as `cursor` for the next page; absent on the last one.'),
    })
    .meta({ id: name, description: `A page of a list: ${what}.` });
}

export const okReply = z
  .strictObject({ ok: z.literal(true).describe('True: what was asked for is done.') })
  .meta({ id: 'OkReply', description: 'It is done, and there is nothing more to say about it.' });

export const locale = z
  .string()
  .min(2)
  .max(64)
  .regex(/^[A-Za-z0-9-]+$/)
  .describe('A language tag in canonical BCP 47 form, such as de or pt-BR.')
  .meta({ example: 'de' });

export const unixSeconds = z
  .int()
  .min(0)
  .max(9_999_999_999)
  .describe('A moment as whole seconds since 1970-01-01T00:00:00Z.')
  .meta({ example: 1_790_000_000 });

export const unixMillis = z
  .int()
  .min(0)
  .max(9_999_999_999_999)
  .describe('A moment as whole milliseconds since 1970-01-01T00:00:00Z.')
  .meta({ example: 1_790_000_000_000 });

export const pageUrl = z
  .string()
  .min(1)
  .max(LIMITS.urlCharsMax)
  .describe('The full http or https address of the page the visitor is on, as its browser writes it.')
  .meta({ example: 'https://www.example.com/pricing' });

export const origin = z
  .string()
  .min(1)
  .max(512)
  .describe('A web origin: scheme, host and, where it is not the default, port.')
  .meta({ example: 'https://www.example.com' });

/** Pages scroll, zoom and rotate: a pixel value is any finite number of a sane size. */
export const pixels = z
  .number()
  .min(-10_000_000)
  .max(10_000_000)
  .describe('A length or position in CSS pixels.')
  .meta({ example: 800 });
const size = z
  .number()
  .min(0)
  .max(10_000_000)
  .describe('A length in CSS pixels, never negative.')
  .meta({ example: 1280 });

export const viewport = z
  .strictObject({
    width: size,
    height: size,
    dpr: z.number().min(0).max(100).describe('Device pixels for each CSS pixel.').meta({ example: 2 }),
  })
  .meta({ id: 'Viewport', description: 'The visible part of the page (interface document, section 2.6).' });

export const documentSize = z.strictObject({ width: size, height: size }).meta({
  id: 'DocumentSize',
  description: 'The whole page in CSS pixels (interface document, section 2.6).',
});

export const scrollPosition = z.strictObject({ x: pixels, y: pixels }).meta({
  id: 'ScrollPosition',
  description: 'How far the page is scrolled (interface document, section 2.6).',
});

export const boundingBox = z
  .strictObject({ x: pixels, y: pixels, width: size, height: size })
  .meta({ id: 'BoundingBox', description: 'A rectangle in CSS pixels, from its top left corner.' });

/** Upper case is the canonical form; what a browser sends may be lower case. */
export const countryCode = z
  .string()
  .regex(/^[A-Za-z]{2}$/)
  .max(2)
  .describe('ISO 3166-1 alpha-2 code of a country, or ZZ when it is unknown.')
  .meta({ example: 'DE' });

export const regionCode = z
  .string()
  .regex(/^[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?$/)
  .max(6)
  .describe('ISO 3166-2 code of a region, else its country, else ZZ.')
  .meta({ example: 'DE-BE' });
