import { LIMITS } from '../../contract/limits.ts';
import type { TenantChange } from '../../contract/workspace.ts';
import { canonicalAllowedOrigin } from '../boot/allowed-origin.ts';
import { normalizeRegion } from '../consent/region.ts';
import { type RequestIssue, throwInvalidRequest } from '../http/errors.ts';
import { canonicalizeLocale } from '../knowledge/locale.ts';
import { normalizeLine, normalizeText } from '../normalize-text.ts';
import {
  BRANDING_DEFAULTS,
  GUIDE_DEFAULTS,
  type RegionStrictness,
  type Workspace,
  type WorkspaceBranding,
  type WorkspaceChange,
  type WorkspaceGuide,
  type WorkspaceVoice,
} from '../storage/workspaces.ts';

/** What a body asks of the settings, in canonical form: a pure function of what they are when it is written. Refuses what makes no sense. */
export function settingsChange(input: TenantChange): (before: Workspace) => WorkspaceChange {
  const problems: RequestIssue[] = [];
  const { name, features, voice, guide, branding, allowedOrigins, sourceLocale, suggestions, ...others } =
    input;
  const { consentStrictnessByRegion, ...plain } = others;
  const renamed =
    name === undefined ? {} : { name: lineOf(name, LIMITS.workspaceNameCharsMax, 'body.name', problems) };
  const timeZone = voice?.timeZone === undefined ? {} : { timeZone: zoneOf(voice.timeZone, problems) };
  const settings = {
    ...given(plain),
    ...(allowedOrigins && { allowedOrigins: originsOf(allowedOrigins, problems) }),
    ...(sourceLocale && { sourceLocale: localeOf(sourceLocale, problems) }),
    ...(suggestions && { suggestions: questionsOf(suggestions, problems) }),
    ...(consentStrictnessByRegion && {
      consentStrictnessByRegion: regionsOf(consentStrictnessByRegion, problems),
    }),
  };
  const title = branding?.title
    ? { title: lineOf(branding.title, LIMITS.brandTitleCharsMax, 'body.branding.title', problems) }
    : {};
  const instructions = guide?.instructions
    ? { instructions: instructionsOf(guide.instructions, problems) }
    : {};
  if (isEmpty(input)) problems.push(problem('body', 'Name at least one setting to change.'));
  if (problems.length > 0) throwInvalidRequest(...problems);
  return (before) => ({
    ...renamed,
    settings: {
      ...settings,
      ...(features && { features: { ...before.settings.features, ...given(features) } }),
      ...(voice && { voice: voiceFrom(before.settings.voice, { ...voice, ...timeZone }) }),
      ...(guide && { guide: guideFrom(before.settings.guide, { ...guide, ...instructions }) }),
      ...(branding && { branding: brandingFrom(before.settings.branding, { ...branding, ...title }) }),
    },
  });
}

const problem = (path: string, message: string): RequestIssue => ({ path, code: 'custom', message });

/** A group that names nothing changes nothing either. */
function isEmpty(input: object): boolean {
  return Object.values(input).every(
    (value) => value === undefined || (isGroup(value) && Object.keys(value).length === 0),
  );
}

const isGroup = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}

function lineOf(text: string, charsMax: number, path: string, problems: RequestIssue[]): string {
  const line = normalizeLine(text, charsMax);
  if (line === undefined)
    problems.push(problem(path, `Expected 1 to ${charsMax} characters that can be seen.`));
  return line ?? text;
}

function instructionsOf(text: string, problems: RequestIssue[]): string {
  const tidy = normalizeText(text, LIMITS.instructionsCharsMax);
  if (tidy === undefined)
    problems.push(problem('body.guide.instructions', 'Expected text that can be seen.'));
  return tidy ?? text;
}

function questionsOf(texts: readonly string[], problems: RequestIssue[]): readonly string[] {
  return texts.map((text, at) => lineOf(text, LIMITS.titleCharsMax, `body.suggestions.${at}`, problems));
}

function originsOf(texts: readonly string[], problems: RequestIssue[]): readonly string[] {
  const origins = texts.flatMap((text, at) => {
    const origin = canonicalAllowedOrigin(text);
    if (origin !== undefined) return [origin];
    const expected = 'Expected an origin such as https://shop.example or https://*.shop.example.';
    problems.push(problem(`body.allowedOrigins.${at}`, expected));
    return [];
  });
  return [...new Set(origins)];
}

function localeOf(text: string, problems: RequestIssue[]): string {
  const locale = canonicalizeLocale(text);
  if (locale === undefined) {
    problems.push(problem('body.sourceLocale', 'Expected a language tag such as en or pt-BR.'));
  }
  return locale ?? text;
}

/** An offset such as +01:00 is no zone: it knows no summer. */
function zoneOf(text: string, problems: RequestIssue[]): string {
  const name = /^[A-Za-z]/.test(text) ? zoneNamed(text) : undefined;
  if (name === undefined) {
    problems.push(problem('body.voice.timeZone', 'Expected an IANA time zone such as Europe/Berlin.'));
  }
  return name ?? text;
}

/** In its usual upper and lower case; an alias stays what the owner calls it. */
function zoneNamed(text: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}

type VoiceChange = NonNullable<TenantChange['voice']>;

/** Null takes the voice away, and `auto` a provider. */
function voiceFrom(before: WorkspaceVoice, change: VoiceChange): WorkspaceVoice {
  const after = { ...before, ...given(change) };
  const set = Object.entries(after).filter(([, value]) => value !== null && value !== 'auto');
  return Object.fromEntries(set) as WorkspaceVoice;
}

type GuideChange = NonNullable<TenantChange['guide']>;

function guideFrom(before: WorkspaceGuide = GUIDE_DEFAULTS, change: GuideChange): WorkspaceGuide {
  return withoutNulls({ ...before, ...given(change) }) as WorkspaceGuide;
}

type BrandingChange = NonNullable<TenantChange['branding']>;

function brandingFrom(
  before: WorkspaceBranding = BRANDING_DEFAULTS,
  { color, ...change }: BrandingChange,
): WorkspaceBranding {
  const written = color === undefined ? {} : { color: color?.toLowerCase() ?? null };
  return withoutNulls({ ...before, ...given(change), ...written }) as WorkspaceBranding;
}

/** Null takes a field away. */
function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** In one order, so that the same rules are the same settings. */
function regionsOf(
  rules: readonly RegionStrictness[],
  problems: RequestIssue[],
): readonly RegionStrictness[] {
  const named = new Map<string, RegionStrictness>();
  for (const [at, { region: given, strictness }] of rules.entries()) {
    const path = `body.consentStrictnessByRegion.${at}.region`;
    const region = normalizeRegion(given).regionCode;
    if (region === 'ZZ') problems.push(problem(path, 'Expected an ISO 3166 code such as DE or US-CA.'));
    else if (named.has(region)) problems.push(problem(path, `${region} is named twice.`));
    else named.set(region, { region, strictness });
  }
  return [...named.values()].sort((a, b) => (a.region < b.region ? -1 : 1));
}
