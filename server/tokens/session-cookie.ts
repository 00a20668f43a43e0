import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { PROVIDER_LIMITS } from '../../contract/limits/identity-providers.ts';

/**
 * The dashboard's cookies. Over https, the `__Host-` prefix keeps other hosts of the same site from setting them. The
 * session cookie is 32 random bytes, of which only the hash is stored.
 */

const SESSION = 'gp_session';
const DEVICE = 'gp_device';
const ATTEMPT = 'gp_sign_in';
const CHALLENGE = 'gp_challenge';
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Whether the user confirmed their identity within the time that changes of access require. */
export const isFresh = ({ confirmedAt }: { confirmedAt: number }, nowMillis: number): boolean =>
  nowMillis - confirmedAt <= ACCOUNT_LIMITS.freshPasswordSeconds * 1000;

export function makeSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Hashes a token with SHA-256, in hex. Sessions and one-time links are stored as hashes. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** Returns undefined when the cookie is missing, malformed or sent more than once. */
export function readSessionToken(cookieHeader: string | undefined, isSecure: boolean): string | undefined {
  const token = findCookie(cookieHeader, SESSION, isSecure);
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/** Returns the Set-Cookie header that starts a session. */
export function buildSessionCookie(token: string, seconds: number, isSecure: boolean): string {
  return toCookie(SESSION, token, seconds, 'Lax', isSecure);
}

/** Returns the Set-Cookie header that ends a session. */
export function buildEndedCookie(isSecure: boolean): string {
  return toCookie(SESSION, '', 0, 'Lax', isSecure);
}

/** Returns what a sign-in with a provider started with, encrypted; undefined without it. */
export function readAttempt(cookieHeader: string | undefined, isSecure: boolean): string | undefined {
  return findCookie(cookieHeader, ATTEMPT, isSecure);
}

/** Returns the Set-Cookie header that binds a sign-in with a provider to the browser, or ends it. */
export function buildAttemptCookie(value: string, isSecure: boolean): string {
  return toCookie(ATTEMPT, value, value === '' ? 0 : PROVIDER_LIMITS.attemptSeconds, 'Lax', isSecure);
}

/**
 * The cookie of a browser in which a user has signed in. It is no credential: its holder's guesses at the password are
 * counted apart from those of strangers, so strangers cannot use up the attempts of the user, until the password changes. The
 * browser itself stays known.
 */
export type Devices = {
  /** Returns a new cookie value for the user. */
  issue(user: DeviceUser): string;
  /** Returns undefined without a well-formed cookie. Does not verify the cookie; `isOf` does. */
  read(cookieHeader: string | undefined, isSecure: boolean): Device | undefined;
  /** Whether the user has signed in there with the current password. */
  isOf(device: Device, user: DeviceUser): boolean;
  /** Whether the user has ever signed in there. */
  isKnown(device: Device, user: Pick<DeviceUser, 'id'>): boolean;
};

export type Device = { userId: string; id: string; mac: Buffer; knownMac: Buffer };
type DeviceUser = { id: string; passwordHash: string };

const DEVICE_VALUE =
  /^(?<userId>usr_[0-9a-z]{26})\.(?<id>[A-Za-z0-9_-]{22})\.(?<known>[A-Za-z0-9_-]{43})\.(?<mac>[A-Za-z0-9_-]{43})$/;
const DEVICE_ID_BYTES = 16;

export function createDevices(secret: string): Devices {
  const hmac = (text: string) => createHmac('sha256', secret).update(text).digest();
  const sign = (id: string, { id: userId, passwordHash }: DeviceUser) =>
    hmac(`${userId}.${id}.${passwordHash}`);
  const signKnown = (id: string, userId: string) => hmac(`known.${userId}.${id}`);
  return {
    issue(user) {
      const id = randomBytes(DEVICE_ID_BYTES).toString('base64url');
      const macs = [signKnown(id, user.id), sign(id, user)].map((mac) => mac.toString('base64url'));
      return [user.id, id, ...macs].join('.');
    },
    read(cookieHeader, isSecure) {
      const { userId, id, mac, known } =
        DEVICE_VALUE.exec(findCookie(cookieHeader, DEVICE, isSecure) ?? '')?.groups ?? {};
      if (!userId || !id || !mac || !known) return undefined;
      return { userId, id, mac: Buffer.from(mac, 'base64url'), knownMac: Buffer.from(known, 'base64url') };
    },
    isOf: ({ userId, id, mac }, user) => userId === user.id && timingSafeEqual(mac, sign(id, user)),
    isKnown: ({ userId, id, knownMac }, user) =>
      userId === user.id && timingSafeEqual(knownMac, signKnown(id, userId)),
  };
}

/** Returns the Set-Cookie header that binds a step of a sign-in to this browser. */
export function buildChallengeCookie(token: string, seconds: number, isSecure: boolean): string {
  return toCookie(CHALLENGE, token, seconds, 'Strict', isSecure);
}

/** Returns undefined when the cookie is missing, malformed or sent more than once. */
export function readChallengeToken(cookieHeader: string | undefined, isSecure: boolean): string | undefined {
  const token = findCookie(cookieHeader, CHALLENGE, isSecure);
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/** Returns the Set-Cookie header of a device. */
export function buildDeviceCookie(value: string, isSecure: boolean): string {
  return toCookie(DEVICE, value, ACCOUNT_LIMITS.deviceSeconds, 'Strict', isSecure);
}

function findCookie(header: string | undefined, name: string, isSecure: boolean): string | undefined {
  if (header === undefined) return undefined;
  const prefix = `${getCookieName(name, isSecure)}=`;
  const values = header.split(';').flatMap((part) => {
    const pair = part.trim();
    return pair.startsWith(prefix) ? [pair.slice(prefix.length)] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}

function toCookie(
  name: string,
  value: string,
  seconds: number,
  sameSite: 'Lax' | 'Strict',
  isSecure: boolean,
): string {
  const secure = isSecure ? '; Secure' : '';
  return `${getCookieName(name, isSecure)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

const getCookieName = (name: string, isSecure: boolean) => (isSecure ? `__Host-${name}` : name);
