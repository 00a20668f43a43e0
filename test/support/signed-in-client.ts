import type { SessionState } from '../../contract/session.ts';
import { hashPassword } from '../../server/accounts/password.ts';
import { newId } from '../../server/base/ids.ts';
import type { MemberRole } from '../../server/storage/members.ts';
import type { Harness } from './harness.ts';
import { readResponse, type TestResponse } from './response.ts';

/** Accounts with passwords, and HTTP clients with cookies. */

export const PASSWORD = 'violet spoon under the desk';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

export type Browser = {
  /** The cookie of the session; empty when signed out. */
  cookie: string;
  /** The cookie of the device; empty before the first sign-in. */
  device: string;
  /** The cookie of a sign-in with a provider; empty unless one has started. */
  attempt: string;
  /** The cookie of a sign-in or set-up that has begun; empty when there is none. */
  challenge: string;
  get<Json = unknown>(path: string, headers?: Record<string, string>): Promise<TestResponse<Json>>;
  post<Json = unknown>(
    path: string,
    json: unknown,
    headers?: Record<string, string>,
  ): Promise<TestResponse<Json>>;
  put<Json = unknown>(path: string, json: unknown): Promise<TestResponse<Json>>;
  patch<Json = unknown>(path: string, json: unknown): Promise<TestResponse<Json>>;
  delete<Json = unknown>(path: string): Promise<TestResponse<Json>>;
  signIn(email: string, password?: string): Promise<TestResponse<SessionState>>;
};

/** Returns an HTTP client that keeps cookies as a browser does. */
export function browserAt(
  { baseUrl }: Pick<Harness, 'baseUrl'>,
  headers: Record<string, string> = {},
): Browser {
  async function call(method: string, path: string, json?: unknown, more: Record<string, string> = {}) {
    const response = await readResponse<never>(
      fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          'user-agent': FIREFOX,
          'sec-fetch-site': 'same-origin',
          ...toCookieHeader([browser.cookie, browser.device, browser.challenge, browser.attempt]),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
          ...more,
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      }),
    );
    for (const set of response.headers.getSetCookie()) {
      const pair = set.includes('Max-Age=0;') ? '' : set.split(';')[0]!;
      if (set.includes('gp_device=')) browser.device = pair;
      else if (set.includes('gp_challenge=')) browser.challenge = pair;
      else if (set.includes('gp_sign_in=')) browser.attempt = pair;
      else browser.cookie = pair;
    }
    return response;
  }
  const browser: Browser = {
    cookie: '',
    device: '',
    attempt: '',
    challenge: '',
    get: (path, more) => call('GET', path, undefined, more),
    post: (path, json, more) => call('POST', path, json, more),
    put: (path, json) => call('PUT', path, json),
    patch: (path, json) => call('PATCH', path, json),
    delete: (path) => call('DELETE', path),
    signIn: (email, password = PASSWORD) => call('POST', '/api/session', { email, password }),
  };
  return browser;
}

function toCookieHeader(cookies: readonly string[]): Record<string, string> {
  const cookie = cookies.filter(Boolean).join('; ');
  return cookie === '' ? {} : { cookie };
}

const hashed = new Map<string, Promise<string>>();

/** Adds a member to the harness's workspace, as the command line would. */
export async function addPerson(
  { service, workspace, clock }: Harness,
  email: string,
  { role = 'owner' as MemberRole, password = PASSWORD, workspaceId = workspace.id } = {},
): Promise<{ memberId: string; userId: string; email: string }> {
  const passwordHash = hashed.get(password) ?? hashPassword(password);
  hashed.set(password, passwordHash);
  const isKnown = (await service.store.users.listByEmail(email)).length > 0;
  const newMemberId = newId('mem');
  const atMillis = clock.now();
  const member = await service.store.memberships.add(
    {
      newMemberId,
      newUserId: newId('usr'),
      workspaceId,
      email,
      role,
      ...(isKnown ? {} : { passwordHash: await passwordHash }),
      createdAt: atMillis,
    },
    {
      id: newId('aud'),
      atMillis,
      actor: 'operator',
      action: 'member.added',
      subject: newMemberId,
      details: {},
    },
  );
  if (typeof member === 'string') throw new Error(`${email} did not join: ${member}`);
  return { memberId: member.id, userId: member.userId, email };
}
