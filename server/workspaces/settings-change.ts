import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { HANDOVER_LIMITS } from '../../contract/limits/handovers.ts';
import { HELP_CENTRE_LIMITS } from '../../contract/limits/help-centre.ts';
import { REQUEST_LIMITS } from '../../contract/limits/requests.ts';
import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import { parsePathPattern } from '../../contract/path-rules.ts';
import type { GuidanceRule, Tenant, TenantChange } from '../../contract/workspace.ts';
import { parseContentLocale } from '../base/locale-registry.ts';
import { normalizeLine, normalizeText } from '../base/text.ts';
import { type RequestIssue, throwInvalidRequest } from '../http/errors.ts';
import {
  BRANDING_DEFAULTS,
  type Contact,
  GUIDE_DEFAULTS,
  HANDOVER_DEFAULTS,
  HELP_CENTRE_DEFAULTS,
  type PathRule,
  RETENTION_DEFAULTS,
  type WorkspaceVoice,
} from '../storage/workspace-settings.ts';
import type { Workspace, WorkspaceChange } from '../storage/workspaces.ts';
import { canonicalizeAllowedOrigin } from '../visitors/allowed-origin.ts';
import { normalizeRegion } from '../visitors/consent/region.ts';

/**
 * Validates and canonicalizes a change. The returned function is pure and merges it into the settings at the time of
 * writing. Throws `request/invalid`.
 */
export function parseSettingsChange(input: TenantChange): (before: Workspace) => WorkspaceChange {
  const problems: RequestIssue[] = [];
  const { name, features, voice, guide, branding, retention, contact, handover, helpCentre, ...others } =
    input;
  const { allowedOrigins, sourceLocale, suggestions, consentStrictnessByRegion, pathRules, ...plain } =
    others;
  for (const issue of findAttributeIssues(plain.customerAttributes)) problems.push(issue);
  const nameChange =
    name === undefined
      ? {}
      : { name: parseLine(name, WORKSPACE_LIMITS.workspaceNameCharsMax, 'body.name', problems) };
  const timeZone = voice?.timeZone === undefined ? {} : { timeZone: parseTimeZone(voice.timeZone, problems) };
  const settings = {
    ...definedFields(plain),
    ...(allowedOrigins && { allowedOrigins: parseOrigins(allowedOrigins, problems) }),
    ...(sourceLocale && { sourceLocale: parseLocale(sourceLocale, problems) }),
    ...(suggestions && { suggestions: parseSuggestions(suggestions, problems) }),
    ...(consentStrictnessByRegion && {
      consentStrictnessByRegion: parseRegions(consentStrictnessByRegion, problems),
    }),
    ...(pathRules && { pathRules: parsePathRules(pathRules, problems) }),
  };
  const { brandTitleCharsMax, launcherLabelCharsMax } = WORKSPACE_LIMITS;
  const brandTexts = {
    ...(branding?.title && {
      title: parseLine(branding.title, brandTitleCharsMax, 'body.branding.title', problems),
    }),
    ...(branding?.label && {
      label: parseLine(branding.label, launcherLabelCharsMax, 'body.branding.label', problems),
    }),
  };
  const rules = guide?.rules && { rules: parseRules(guide.rules, problems) };
  const url = contact?.url ? { url: parseHttpUrl(contact.url, 'body.contact.url', problems) } : {};
  const answerTime = handover?.answerTime
    ? {
        answerTime: parseLine(
          handover.answerTime,
          HANDOVER_LIMITS.answerTimeCharsMax,
          'body.handover.answerTime',
          problems,
        ),
      }
    : {};
  const help = helpCentre && parseHelpCentre(helpCentre, problems);
  if (isEmpty(input)) problems.push(createIssue('body', 'Include at least one setting.'));
  if (problems.length > 0) throwInvalidRequest(...problems);
  return (before) => ({
    ...nameChange,
    settings: {
      ...settings,
      ...(features && { features: { ...before.settings.features, ...definedFields(features) } }),
      ...(voice && { voice: mergeVoice(before.settings.voice, { ...voice, ...timeZone }) }),
      ...(guide && { guide: mergeGuide(before.settings.guide, { ...guide, ...rules }) }),
      ...(branding && { branding: mergeBranding(before.settings.branding, { ...branding, ...brandTexts }) }),
      ...(retention && {
        retention: { ...(before.settings.retention ?? RETENTION_DEFAULTS), ...definedFields(retention) },
      }),
      ...(handover && { handover: mergeHandover(before.settings.handover, { ...handover, ...answerTime }) }),
      ...(help && { helpCentre: mergeHelpCentre(before.settings.helpCentre, help) }),
      ...(contact && { contact: mergeContact(before.settings.contact, { ...contact, ...url }) }),
    },
  });
}

/** Claims that a user token has anyway. */
const RESERVED_CLAIMS = ['sub', 'aud', 'exp', 'iat', 'nbf', 'iss', 'jti', 'name', 'email', 'signed_in'];

function* findAttributeIssues(attributes: Tenant['customerAttributes'] = []): Generator<RequestIssue> {
  for (const [at, { name, type, values }] of attributes.entries()) {
    const path = `body.customerAttributes.${at}`;
    if (RESERVED_CLAIMS.includes(name)) yield createIssue(`${path}.name`, `${name} has a meaning already.`);
    if (attributes.findIndex((other) => other.name === name) < at)
      yield createIssue(`${path}.name`, `${name} is listed twice.`);
    if ((type === 'one_of') !== (values !== undefined))
      yield createIssue(
        `${path}.values`,
        type === 'one_of' ? 'Expected the values.' : 'Only one_of has values.',
      );
  }
}

const createIssue = (path: string, message: string): RequestIssue => ({ path, code: 'custom', message });

/** Returns true also if all that is set are groups without fields. */
function isEmpty(input: object): boolean {
  return Object.values(input).every(
    (value) => value === undefined || (isGroup(value) && Object.keys(value).length === 0),
  );
}

const isGroup = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type DefinedFields<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function definedFields<T extends object>(fields: T): DefinedFields<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as DefinedFields<T>;
}

function parseLine(text: string, charsMax: number, path: string, problems: RequestIssue[]): string {
  const line = normalizeLine(text, charsMax);
  if (line === undefined) problems.push(createIssue(path, `Expected 1 to ${charsMax} visible characters.`));
  return line ?? text;
}

function parseRules(rules: readonly GuidanceRule[], problems: RequestIssue[]): GuidanceRule[] {
  const parsed = rules.map(({ name, when, text, ...rule }, at) => {
    const path = `body.guide.rules.${at}`;
    const { ruleNameCharsMax, ruleConditionCharsMax, ruleTextCharsMax } = WORKSPACE_LIMITS;
    const normalized = normalizeText(text, ruleTextCharsMax);
    if (normalized === undefined)
      problems.push(createIssue(`${path}.text`, 'Expected text with visible characters.'));
    return {
      ...rule,
      name: parseLine(name, ruleNameCharsMax, `${path}.name`, problems),
      ...(when !== undefined && { when: parseLine(when, ruleConditionCharsMax, `${path}.when`, problems) }),
      text: normalized ?? text,
    };
  });
  const chars = parsed.reduce((sum, { text, when = '' }) => sum + text.length + when.length, 0);
  if (chars > WORKSPACE_LIMITS.rulesCharsMax)
    problems.push(
      createIssue(
        'body.guide.rules',
        `Expected at most ${WORKSPACE_LIMITS.rulesCharsMax} characters in all texts and conditions.`,
      ),
    );
  return parsed;
}

function parseHelpCentre(change: HelpCentreChange, problems: RequestIssue[]): HelpCentreChange {
  const { title, tagline, headerLinks, footerLinks } = change;
  const { titleCharsMax, taglineCharsMax } = HELP_CENTRE_LIMITS;
  return {
    ...change,
    ...(title && { title: parseLine(title, titleCharsMax, 'body.helpCentre.title', problems) }),
    ...(tagline && { tagline: parseLine(tagline, taglineCharsMax, 'body.helpCentre.tagline', problems) }),
    ...(headerLinks && { headerLinks: parseLinks(headerLinks, 'body.helpCentre.headerLinks', problems) }),
    ...(footerLinks && { footerLinks: parseLinks(footerLinks, 'body.helpCentre.footerLinks', problems) }),
  };
}

const parseLinks = (links: Tenant['helpCentre']['headerLinks'], path: string, problems: RequestIssue[]) =>
  links.map(({ label, url }, at) => ({
    label: parseLine(label, HELP_CENTRE_LIMITS.linkLabelCharsMax, `${path}.${at}.label`, problems),
    url: parseHttpUrl(url, `${path}.${at}.url`, problems),
  }));

function parseSuggestions(texts: readonly string[], problems: RequestIssue[]): string[] {
  return texts.map((text, at) =>
    parseLine(text, ARTICLE_LIMITS.titleCharsMax, `body.suggestions.${at}`, problems),
  );
}

function parseOrigins(texts: readonly string[], problems: RequestIssue[]): string[] {
  const origins = texts.flatMap((text, at) => {
    const origin = canonicalizeAllowedOrigin(text);
    if (origin !== undefined) return [origin];
    const expected =
      'Expected an origin such as https://shop.example or, below a domain of one owner, https://*.shop.example.';
    problems.push(createIssue(`body.allowedOrigins.${at}`, expected));
    return [];
  });
  return [...new Set(origins)];
}

/** Canonicalizes a URL, so that the guide recognizes it in answers. Rejects credentials, because the link is public. */
function parseHttpUrl(text: string, path: string, problems: RequestIssue[]): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Canonicalizing can make the URL longer: it adds a path and encodes letters.
  const isShortEnough = url !== undefined && url.href.length <= REQUEST_LIMITS.urlCharsMax;
  if (isShortEnough && url.username === '' && url.password === '') return url.href;
  problems.push(createIssue(path, 'Expected a full address such as https://shop.example/contact.'));
  return text;
}

function parseLocale(text: string, problems: RequestIssue[]): string {
  const locale = parseContentLocale(text);
  if (locale === undefined) {
    problems.push(createIssue('body.sourceLocale', 'Expected a language tag such as en or pt-BR.'));
  }
  return locale ?? text;
}

/** Rejects offsets such as +01:00: they have no daylight-saving time. */
function parseTimeZone(text: string, problems: RequestIssue[]): string {
  const name = /^[A-Za-z]/.test(text) ? toCanonicalTimeZone(text) : undefined;
  if (name === undefined) {
    problems.push(createIssue('body.voice.timeZone', 'Expected an IANA time zone such as Europe/Berlin.'));
  }
  return name ?? text;
}

/** Corrects the case of a time zone name, but keeps aliases as written. */
function toCanonicalTimeZone(text: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}

type VoiceChange = NonNullable<TenantChange['voice']>;

/** Removes fields that are null (the default voice) or `auto` (the default provider). */
function mergeVoice(before: WorkspaceVoice, change: VoiceChange): WorkspaceVoice {
  const after = { ...before, ...definedFields(change) };
  const entries = Object.entries(after).filter(([, value]) => value !== null && value !== 'auto');
  return Object.fromEntries(entries) as WorkspaceVoice;
}

type GuideChange = NonNullable<TenantChange['guide']>;

function mergeGuide(before: Tenant['guide'] = GUIDE_DEFAULTS, change: GuideChange): Tenant['guide'] {
  return withoutNulls({ ...before, ...definedFields(change) }) as Tenant['guide'];
}

type BrandingChange = NonNullable<TenantChange['branding']>;

function mergeBranding(
  before: Tenant['branding'] = BRANDING_DEFAULTS,
  { color, ...change }: BrandingChange,
): Tenant['branding'] {
  const colorChange = color === undefined ? {} : { color: color?.toLowerCase() ?? null };
  return withoutNulls({ ...before, ...definedFields(change), ...colorChange }) as Tenant['branding'];
}

type HandoverChange = NonNullable<TenantChange['handover']>;

const mergeHandover = (before: Tenant['handover'] = HANDOVER_DEFAULTS, change: HandoverChange) =>
  withoutNulls({ ...before, ...definedFields(change) }) as Tenant['handover'];

type HelpCentreChange = NonNullable<TenantChange['helpCentre']>;

const mergeHelpCentre = (before: Tenant['helpCentre'] = HELP_CENTRE_DEFAULTS, change: HelpCentreChange) =>
  withoutNulls({ ...before, ...definedFields(change) }) as Tenant['helpCentre'];

type ContactChange = NonNullable<TenantChange['contact']>;

/** Returns undefined when no field is left. */
function mergeContact(before: Contact | undefined, change: ContactChange): Contact | undefined {
  const after = withoutNulls({ ...before, ...definedFields(change) });
  return Object.keys(after).length === 0 ? undefined : (after as Contact);
}

/** Removes the fields that are null. */
function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

type RegionStrictness = Tenant['consentStrictnessByRegion'][number];

/** Sorts the rules, so that equal rules compare as equal settings. */
function parseRegions(rules: readonly RegionStrictness[], problems: RequestIssue[]): RegionStrictness[] {
  const byRegion = new Map<string, RegionStrictness>();
  for (const [at, { region: input, strictness }] of rules.entries()) {
    const path = `body.consentStrictnessByRegion.${at}.region`;
    const region = normalizeRegion(input).regionCode;
    if (region === 'ZZ') problems.push(createIssue(path, 'Expected an ISO 3166 code such as DE or US-CA.'));
    else if (byRegion.has(region)) problems.push(createIssue(path, `${region} is listed twice.`));
    else byRegion.set(region, { region, strictness });
  }
  return [...byRegion.values()].sort((a, b) => (a.region < b.region ? -1 : 1));
}

/** Keeps an empty list of suggestions: pages that match the rule then show none. */
function parsePathRules(rules: NonNullable<TenantChange['pathRules']>, problems: RequestIssue[]): PathRule[] {
  return rules.map(({ pattern: input, mode, suggestions }, at) => {
    const path = `body.pathRules.${at}`;
    const pattern = input.trim();
    if (parsePathPattern(pattern) === undefined) {
      problems.push(
        createIssue(`${path}.pattern`, 'Expected a path such as /pricing, /shop/* or /docs{/*}?.'),
      );
    }
    const questions = suggestions?.map((text, index) =>
      parseLine(text, ARTICLE_LIMITS.titleCharsMax, `${path}.suggestions.${index}`, problems),
    );
    return { pattern, mode, ...(questions && { suggestions: questions }) };
  });
}

type Fields = Readonly<Record<string, unknown>>;
type SettingsDiff = { before: Fields; after: Fields };

/** Returns the fields that differ, before and after, or undefined when nothing changed. */
export function diffSettings(before: Workspace, after: Workspace): SettingsDiff | undefined {
  return diffFields(toAuditedFields(before), toAuditedFields(after));
}

const toAuditedFields = ({ name, enabled, settings }: Workspace): Fields => ({ name, enabled, ...settings });

function diffFields(before: Fields, after: Fields): SettingsDiff | undefined {
  const removed: Record<string, unknown> = {};
  const added: Record<string, unknown> = {};
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [from, to] = [before[field], after[field]];
    if (isDeepStrictEqual(from, to)) continue;
    const inner = isGroup(from) && isGroup(to) ? diffFields(from, to) : { before: from, after: to };
    if (hasContent(inner?.before)) removed[field] = inner?.before;
    if (hasContent(inner?.after)) added[field] = inner?.after;
  }
  const isSame = Object.keys(removed).length + Object.keys(added).length === 0;
  return isSame ? undefined : { before: removed, after: added };
}

/** Returns false for an absent value and for a group without fields. */
const hasContent = (value: unknown) =>
  value !== undefined && !(isGroup(value) && Object.keys(value).length === 0);

const APP_ID_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const APP_ID_CHARS = 16;

export function newAppId(): string {
  const pick = () => APP_ID_ALPHABET[randomInt(APP_ID_ALPHABET.length)];
  return `gp_${Array.from({ length: APP_ID_CHARS }, pick).join('')}`;
}
