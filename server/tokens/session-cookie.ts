import { hash, randomBytes } from 'node:crypto';

/**
 * The dashboard's session cookie: 32 random bytes, of which only the hash is stored. Over https, the `__Host-` prefix keeps other hosts of the
 * same site from setting it.
 */

const NAME = 'gp_session';
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function makeSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 in hex. Sessions and one-time links are stored as hashes. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** Undefined when the cookie is missing or sent more than once. */
export function sessionTokenIn(cookieHeader: string | undefined, ownOrigin: string): string | undefined {
  if (cookieHeader === undefined) return undefined;
  const prefix = `${getCookieName(ownOrigin)}=`;
  const own = cookieHeader.split(';').flatMap((part) => {
    const pair = part.trim();
    return pair.startsWith(prefix) ? [pair.slice(prefix.length)] : [];
  });
  return own.length === 1 && TOKEN.test(own[0]!) ? own[0] : undefined;
}

/** The Set-Cookie header that starts a session. */
export function sessionCookie(token: string, seconds: number, ownOrigin: string): string {
  return `${getCookieName(ownOrigin)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${getSecureAttribute(ownOrigin)}`;
}

/** The Set-Cookie header that ends it. */
export function endedCookie(ownOrigin: string): string {
  return `${getCookieName(ownOrigin)}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${getSecureAttribute(ownOrigin)}`;
}

const isSecure = (ownOrigin: string) => ownOrigin.startsWith('https:');
const getCookieName = (ownOrigin: string) => (isSecure(ownOrigin) ? `__Host-${NAME}` : NAME);
const getSecureAttribute = (ownOrigin: string) => (isSecure(ownOrigin) ? '; Secure' : '');
