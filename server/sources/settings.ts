import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import type { FilesSettings, SourceType, WebsiteSettings, ZendeskSettings } from '../../contract/sources.ts';
import { isLoopbackHost } from '../base/network.ts';
import { throwInvalidRequest } from '../http/errors.ts';
import { normalizeLine } from '../knowledge/article-content.ts';
import type { SourceSchedule, SourceSettings, SourceSummary, WebsiteRules } from '../storage/source-rows.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import { RunFailed } from './document.ts';
import type { AddressCheck } from './public-addresses.ts';
import type { OpenToken } from './runs.ts';
import { parseUrlRule } from './website/urls.ts';

/** Checks the settings of a source. */

type SettingsInput = {
  name: string;
  website?: WebsiteSettings;
  files?: FilesSettings;
  zendesk?: ZendeskSettings;
  apiToken?: string;
  mode: SourceSettings['mode'];
  schedule?: SourceSchedule;
  paused: boolean;
};

/** Where each type has its settings, whether they are required, and the error where they do not belong. */
const SETTINGS = {
  website: { type: 'website', isRequired: true, message: 'Only websites have this field.' },
  files: { type: 'files', isRequired: false, message: 'Only files have this field.' },
  zendesk: { type: 'zendesk', isRequired: true, message: 'Only help centers of Zendesk have this field.' },
} as const;

/** Throws 400 when settings do not fit the type. */
export function parseSettings(input: SettingsInput, type: SourceType): Omit<SourceSettings, 'sealedToken'> {
  const { website, files, zendesk, apiToken, mode, schedule = 'manual', paused } = input;
  const name = normalizeLine(input.name);
  if (name === '') throwInvalid('body.name', 'blank', 'Expected a name on one line.');
  for (const field of ['website', 'files', 'zendesk'] as const) {
    const { type: owner, isRequired, message } = SETTINGS[field];
    if (input[field] !== undefined && type !== owner) throwInvalid(`body.${field}`, 'wrong_type', message);
    if (input[field] === undefined && type === owner && isRequired)
      throwInvalid(`body.${field}`, 'wrong_type', 'Sources of this type need this field.');
  }
  if (apiToken !== undefined && type !== 'zendesk' && type !== 'notion')
    throwInvalid('body.apiToken', 'wrong_type', 'Only sources of other services have this field.');
  if (type === 'files' && schedule !== 'manual')
    throwInvalid('body.schedule', 'wrong_type', 'Sources of files are read when you start a run.');
  return {
    ...{ name, mode, schedule, paused },
    website: website && parseWebsite(website),
    files: files && { baseUrl: parseBaseUrl(files.baseUrl) },
    zendesk: zendesk && parseZendesk(zendesk),
  };
}

/** Keeps the origin alone. A token may only be sent over an encrypted connection, or on this machine. */
function parseZendesk({ address, email }: ZendeskSettings) {
  const { protocol, hostname, username, password, origin } = new URL(address);
  const isPrivate = protocol === 'https:' || isLoopbackHost(hostname);
  if (!isPrivate || username !== '' || password !== '')
    return throwInvalid('body.zendesk.address', 'invalid_url', 'Expected an https URL without a password.');
  return { address: origin, email };
}

function parseWebsite({ startUrls, include, exclude, pagesMax }: WebsiteRules): WebsiteRules {
  const urls = startUrls.map((text, at) => {
    const url = URL.parse(text);
    const path = `body.website.startUrls.${at}`;
    if (url?.username !== '' || url.password !== '')
      return throwInvalid(path, 'invalid_url', 'Expected a URL without a password.');
    url.hash = '';
    return requireLength(url.href, path);
  });
  for (const [field, rules] of Object.entries({ include, exclude })) {
    rules?.forEach((rule, at) => {
      if (parseUrlRule(rule)) return;
      throwInvalid(`body.website.${field}.${at}`, 'invalid_pattern', 'Expected a valid URLPattern.');
    });
  }
  return { startUrls: [...new Set(urls)], include, exclude, pagesMax };
}

/** Parses the URL of the folder whose files visitors open; adds a slash at the end. */
function parseBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    return throwInvalid('body.files.baseUrl', 'invalid_url', 'Expected an https URL without a password.');
  return requireLength(url.href.endsWith('/') ? url.href : `${url.href}/`, 'body.files.baseUrl');
}

/** Checks the length after encoding, which can make a URL longer. */
function requireLength(url: string, path: string): string {
  if (url.length <= SOURCE_LIMITS.placeBytesMax) return url;
  const message = `Expected at most ${SOURCE_LIMITS.placeBytesMax} characters after URL encoding.`;
  return throwInvalid(path, 'too_long', message);
}

export const throwInvalid = (path: string, code: string, message: string): never =>
  throwInvalidRequest({ path, code, message });

type StoredSource = Pick<SourceSummary, 'id' | 'type' | 'zendesk' | 'sealedToken'>;

/**
 * Returns the token to store: the new one, sealed for the source, or the earlier one. Throws 400 when a stored token would
 * be sent to another address than the one for which it was entered.
 */
export async function sealToken(
  { id, type, zendesk, sealedToken: before }: StoredSource,
  { apiToken, zendesk: next }: Pick<SettingsInput, 'apiToken' | 'zendesk'>,
  secrets: Pick<SecretBox, 'seal'>,
): Promise<string | undefined> {
  if (type === 'notion' && (apiToken ?? before ?? '') === '')
    throwInvalid('body.apiToken', 'missing_token', 'Sources of Notion need this field.');
  if (apiToken === '') return undefined;
  if (apiToken !== undefined) return await secrets.seal(apiToken, id);
  const isMoved = zendesk?.address !== (next && new URL(next.address).origin);
  if (before !== undefined && isMoved)
    throwInvalid('body.apiToken', 'missing_token', 'Enter the token again to change the address.');
  return before;
}

/** @throws RunFailed when the token was sealed with a key that was lost. */
export const createTokenOpener =
  (secrets: Pick<SecretBox, 'open'>): OpenToken =>
  async ({ id, sealedToken }) => {
    if (sealedToken === undefined) return undefined;
    const token = await secrets.open(sealedToken, id);
    if (token === undefined) throw new RunFailed('not_authorized');
    return token;
  };

/** Throws 400 for addresses that are not public, with the setting that would allow them. */
export async function requirePublicAddresses(
  { website, zendesk }: Pick<SourceSettings, 'website' | 'zendesk'>,
  addressCheck: Pick<AddressCheck, 'find'>,
): Promise<void> {
  const urls = website ? website.startUrls : zendesk ? [zendesk.address] : [];
  const checks = new Map<string, ReturnType<AddressCheck['find']>>();
  for (const [at, text] of urls.entries()) {
    const url = new URL(text);
    const check = checks.get(url.host) ?? addressCheck.find(url);
    checks.set(url.host, check);
    const refused = await check;
    if (!refused) continue;
    const path = website ? `body.website.startUrls.${at}` : 'body.zendesk.address';
    const message = `${url.host} is not a public address. Start the server with ${refused.setting} to read it.`;
    throwInvalid(path, 'private_address', message);
  }
}
