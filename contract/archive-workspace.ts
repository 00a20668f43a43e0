import { z } from 'zod';
import {
  ARCHIVE_FORMAT,
  canonicalLocale,
  lineType,
  shortText,
  storedTime,
  succeeds,
} from './archive-fields.ts';
import {
  actor,
  canonicalObject,
  email,
  memberId,
  memberRole,
  namedObject,
  typeId,
  visitorId,
} from './fields.ts';
import { type Contact, contact, pathRule } from './guide.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';
import { parsePathPattern } from './path-rules.ts';
import { auditRow, tenant } from './workspace.ts';

/** The lines of an archive about the workspace itself: settings, members, consent, audit. */

const isTimeZone = (name: string) =>
  /^[A-Za-z]/.test(name) && succeeds(() => new Intl.DateTimeFormat('en', { timeZone: name }));

/** Tells whether a contact has at least one field, and its URL in the form that the settings store. */
const isStoredContact = ({ email, url, phone }: Contact) =>
  [email, url, phone].some((way) => way !== undefined) &&
  (url === undefined || (URL.canParse(url) && new URL(url).href === url));

const isLowerCase = (text: string) => text === text.toLowerCase();

const jsonText = (description: string, example: string) =>
  z.string().min(2).max(1_000_000).describe(description).meta({ example });

const hash = (description: string) =>
  z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .max(64)
    .describe(description)
    .meta({ example: '0'.repeat(64) });

const pseudonym = typeId('sub', 'The name that the evidence has for a visitor');
const policyVersion = shortText('The version of a consent policy.', '2026-11-20.1+0123456789ab');

export const workspace = namedObject('ArchivedWorkspace', 'The first line: the workspace and its settings.', {
  type: lineType('workspace'),
  format: z
    .int32()
    .min(1)
    .max(ARCHIVE_FORMAT)
    .describe('Version of the archive format. An installation rejects versions newer than it knows.')
    .meta({ example: ARCHIVE_FORMAT }),
  ...tenant.shape,
  sourceLocale: canonicalLocale.describe(
    'The language that articles are written in, in canonical BCP 47 form.',
  ),
  voice: tenant.shape.voice.refine(({ timeZone }) => isTimeZone(timeZone), {
    path: ['timeZone'],
    error: 'expected an IANA time zone such as Europe/Berlin',
  }),
  // The maximum leaves room for later changes.
  version: tenant.shape.version.max(1_000_000_000),
  createdAt: storedTime,
  updatedAt: storedTime.describe('When the settings were changed last.'),
  guide: tenant.shape.guide.optional(),
  branding: tenant.shape.branding.optional(),
  retention: tenant.shape.retention.optional(),
  requireSecondFactor: tenant.shape.requireSecondFactor.optional(),
  contact: contact
    .refine(isStoredContact, 'expected an email address, a canonical URL or a number')
    .optional(),
  handover: tenant.shape.handover.optional(),
  helpCentre: tenant.shape.helpCentre.optional(),
  consentStrictnessByRegion: tenant.shape.consentStrictnessByRegion.optional(),
  pathRules: z
    .array(
      pathRule.refine(({ pattern }) => parsePathPattern(pattern) !== undefined, {
        path: ['pattern'],
        error: 'expected a path pattern such as /shop/*',
      }),
    )
    .max(WORKSPACE_LIMITS.pathRulesMax)
    .optional()
    .describe('Where on the site the guide appears, in order.'),
});

export const member = namedObject('ArchivedMember', 'A member of the workspace, oldest first.', {
  type: lineType('member'),
  id: memberId,
  email: email
    .refine(isLowerCase, 'expected an address in lower case')
    .describe('Email address that the member signs in with, in lower case. Passwords are not exported.'),
  role: memberRole.describe('Role of the member.'),
  createdAt: storedTime.describe('When the member joined.'),
});

export const consentPolicy = namedObject(
  'ArchivedPolicy',
  'A consent policy that directives and the consent log refer to.',
  {
    type: lineType('consent_policy'),
    version: policyVersion,
    document: jsonText('The policy in canonical JSON: rule table, settings, purposes.', '{"purposes":[]}'),
    createdAt: storedTime.describe('When the policy was published first.'),
  },
);

export const consentSubject = namedObject(
  'ArchivedSubject',
  'The visitor behind a pseudonym in the consent log.',
  { type: lineType('consent_subject'), visitorId, subjectId: pseudonym },
);

export const consentRecord = namedObject(
  'ArchivedConsent',
  'An entry of the consent log, in the order of its hash chain.',
  {
    type: lineType('consent_record'),
    position: z
      .int()
      .min(1)
      .max(9_007_199_254_740_991)
      .describe('Position in the chain, from 1 and without gaps.'),
    id: typeId('con', 'The record'),
    subjectId: pseudonym,
    content: jsonText(
      'The evidence in canonical JSON, the very text that the hash covers.',
      '{"decision":"denied"}',
    ),
    previousHash: hash('The hash of the record before this one; zeros for the first.'),
    hash: hash('SHA-256 over the previous hash and the content, in hex.'),
  },
);

export const consentDecision = namedObject('ArchivedDecision', 'The current consent decision of a visitor.', {
  type: lineType('consent_decision'),
  visitorId,
  decision: shortText('Last decision of the visitor.', 'accepted'),
  mode: shortText('The consent mode that the decision answered.', 'opt_in'),
  policyVersion,
  regionCode: shortText('The region that the visitor was in.', 'DE-BE'),
  decidedAt: storedTime.describe('When the visitor decided.'),
  gpc: z.boolean().optional().describe('Whether a Global Privacy Control signal came with it.'),
  claimedRegion: shortText('Where the client said to be.', 'DE').optional(),
});

export const audit = namedObject(
  'ArchivedAudit',
  'An entry of the audit log, in the order of its hash chain.',
  {
    type: lineType('audit'),
    id: typeId('aud', 'The row of the audit'),
    at: storedTime,
    actor,
    action: auditRow.shape.action.min(1).describe('The audited action.'),
    subject: auditRow.shape.subject,
    details: canonicalObject(
      auditRow.shape.details.maxLength!,
      'The changes, as a JSON object.',
      '{"toRevision":2}',
    ),
    device: auditRow.shape.device,
    network: auditRow.shape.network,
    previousHash: hash('The hash of the row before this one; zeros for the first.'),
    hash: hash('SHA-256 over the previous hash and the row, in hex.'),
  },
);
