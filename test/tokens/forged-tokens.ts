import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Harness } from '../support/harness.ts';
import { readResponse } from '../support/response.ts';

/**
 * Builds forged visitor tokens, signed with the installation's real secrets where a forgery needs
 * them.
 */

export type Head = Record<string, unknown>;
export type Claims = Record<string, unknown>;

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Decodes the parts of a token without verifying it. */
export function partsOf(jwt: string): { head: Head; claims: Claims; signature: string } {
  const [head = '', claims = '', signature = ''] = jwt.split('.');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return { head: decode(head), claims: decode(claims), signature };
}

/** Signs any header and claims; strings are encoded as they are. */
export function forge(head: Head | string, claims: unknown, secret: Buffer, digest = 'sha256'): string {
  const signed = `${encode(head)}.${encode(claims)}`;
  return `${signed}.${createHmac(digest, secret).update(signed).digest('base64url')}`;
}

/** Reads the secrets of an installation from its key file. */
export function secretsIn(dataDir: string): {
  visitorIdSecret: string;
  keys: readonly { kid: string; secret: string }[];
} {
  return JSON.parse(readFileSync(join(dataDir, 'visitor-token-keys.json'), 'utf8'));
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Encodes the same bytes with other unused bits in the last character; undefined if it has none.
 */
function respell(part: string): string | undefined {
  const last = ALPHABET.indexOf(part.at(-1)!);
  for (const other of [last ^ 1, last ^ 2, last ^ 3]) {
    const spelling = part.slice(0, -1) + ALPHABET[other]!;
    if (Buffer.from(spelling, 'base64url').equals(Buffer.from(part, 'base64url'))) return spelling;
  }
  return undefined;
}

type World = {
  good: string;
  other: string;
  secret: Buffer;
  encodedSecret: string;
  visitorIdSecret: Buffer;
  nowSeconds: number;
};

/**
 * Tokens with one defect each, by the name of the defect. `good` is a valid token, `other` a valid one of another visitor, workspace and
 * origin. They are signed with the real secrets, so that only the defect can be the reason for a rejection.
 */
export function badTokens(world: World): Record<string, string> {
  const forger = createForger(world);
  return Object.assign({}, ...DEFECTS.map((list) => list(forger)));
}

function createForger({ good, other, secret, nowSeconds: now, ...secrets }: World) {
  const { head, claims, signature } = partsOf(good);
  const [headPart, claimsPart] = good.split('.') as [string, string];
  return {
    ...secrets,
    ...{ good, secret, now, head, claims, signature, headPart, claimsPart },
    unsigned: `${headPart}.${claimsPart}`,
    foreign: partsOf(other),
    expired: { iat: now - 1000, nbf: now - 1000, exp: now - 100 },
    withHead: (change: Head) => forge({ ...head, ...change }, claims, secret),
    withClaims: (change: Claims) => forge(head, { ...claims, ...change }, secret),
    without: (from: object, name: string) =>
      Object.fromEntries(Object.entries(from).filter(([key]) => key !== name)),
    /** Changes the claims and keeps the signature. */
    swapped: (change: Claims) => `${headPart}.${encode({ ...claims, ...change })}.${signature}`,
  };
}

type Forger = ReturnType<typeof createForger>;

function breakAlgorithm({
  secret,
  head,
  claims,
  signature,
  claimsPart,
  withHead,
  without,
}: Forger): Record<string, string> {
  return {
    'alg none without signature': `${encode({ ...head, alg: 'none' })}.${claimsPart}.`,
    'alg none with the signature of the real one': `${encode({ ...head, alg: 'none' })}.${claimsPart}.${signature}`,
    'alg none that is signed': withHead({ alg: 'none' }),
    'alg None': withHead({ alg: 'None' }),
    'alg NONE without signature': `${encode({ ...head, alg: 'NONE' })}.${claimsPart}.`,
    'alg hs256': withHead({ alg: 'hs256' }),
    'alg HS384': forge({ ...head, alg: 'HS384' }, claims, secret, 'sha384'),
    'alg HS512': forge({ ...head, alg: 'HS512' }, claims, secret, 'sha512'),
    'alg HS512, cut to the length of ours': forge({ ...head, alg: 'HS512' }, claims, secret, 'sha512').slice(
      0,
      -43,
    ),
    'alg HS256 in the header, SHA-512 in the signature': forge(head, claims, secret, 'sha512'),
    'alg RS256': withHead({ alg: 'RS256' }),
    'alg ES256': withHead({ alg: 'ES256' }),
    'alg EdDSA': withHead({ alg: 'EdDSA' }),
    'alg missing': forge(without(head, 'alg'), claims, secret),
    'alg null': withHead({ alg: null }),
    'alg as a list': withHead({ alg: ['HS256'] }),
  };
}

function breakKeyId({ secret, head, claims, withHead, without }: Forger): Record<string, string> {
  return {
    'kid missing': forge(without(head, 'kid'), claims, secret),
    'kid empty': withHead({ kid: '' }),
    'kid unknown': withHead({ kid: 'newest' }),
    'kid null': withHead({ kid: null }),
    'kid zero': withHead({ kid: 0 }),
    'kid as a list': withHead({ kid: [head.kid] }),
    'kid that climbs': withHead({ kid: '../../../../dev/null' }),
    'kid of an empty file, signed with nothing': forge(
      { ...head, kid: '/dev/null' },
      claims,
      Buffer.alloc(0),
    ),
    'kid with an SQL tail': withHead({ kid: `${head.kid}' OR '1'='1` }),
    'kid __proto__': forge({ ...head, kid: '__proto__' }, claims, Buffer.from('[object Object]')),
    'kid constructor': withHead({ kid: 'constructor' }),
    'kid with a space': withHead({ kid: `${head.kid} ` }),
    'kid endless': withHead({ kid: 'k'.repeat(500) }),
  };
}

function breakType({ secret, head, claims, withHead, without }: Forger): Record<string, string> {
  return {
    'typ JWT': withHead({ typ: 'JWT' }),
    'typ missing': forge(without(head, 'typ'), claims, secret),
    'typ of another token': withHead({ typ: 'gp-setup+jwt' }),
    'typ in capitals': withHead({ typ: String(head.typ).toUpperCase() }),
    'typ as a media type': withHead({ typ: `application/${head.typ}` }),
  };
}

function breakHeader({ secret, encodedSecret, claims, withHead }: Forger): Record<string, string> {
  return {
    'header with crit': withHead({ crit: ['exp'] }),
    'header with an unknown crit': withHead({ crit: ['surprise'], surprise: 1 }),
    'header with crit b64': withHead({ crit: ['b64'], b64: false }),
    'header with jku': withHead({ jku: 'https://evil.example/keys.json' }),
    'header with jwk': withHead({ jwk: { kty: 'oct', k: encodedSecret } }),
    'header with x5u': withHead({ x5u: 'https://evil.example/chain.pem' }),
    'header with x5c': withHead({ x5c: ['MIIB'] }),
    'header with cty': withHead({ cty: 'JWT' }),
    'header with zip': withHead({ zip: 'DEF' }),
    'header that is no JSON': forge('{"alg":"HS256"', claims, secret),
    'header that is a list': forge('[]', claims, secret),
    'header that is null': forge('null', claims, secret),
  };
}

function breakAudience({ secret, head, claims, withClaims, without }: Forger): Record<string, string> {
  return {
    'aud of somebody else': withClaims({ aud: 'gp-dashboard' }),
    'aud missing': forge(head, without(claims, 'aud'), secret),
    'aud as a list of ours': withClaims({ aud: [claims.aud] }),
    'aud as a list of ours and theirs': withClaims({ aud: [claims.aud, 'gp-dashboard'] }),
    'aud empty': withClaims({ aud: '' }),
    'iss of somebody else': withClaims({ iss: 'https://evil.example' }),
    'iss missing': forge(head, without(claims, 'iss'), secret),
    'iss as a list': withClaims({ iss: [claims.iss] }),
  };
}

function breakTimes({ secret, now, head, claims, withClaims, without }: Forger): Record<string, string> {
  return {
    'exp missing': forge(head, without(claims, 'exp'), secret),
    'exp null': withClaims({ exp: null }),
    'exp a string': withClaims({ exp: String(claims.exp) }),
    'exp a fraction': withClaims({ exp: Number(claims.exp) - 0.5 }),
    'exp a list': withClaims({ exp: [claims.exp] }),
    'exp true': withClaims({ exp: true }),
    'exp negative': withClaims({ exp: -1 }),
    'exp in the far future': withClaims({ exp: now + 315_360_000 }),
    'exp beyond whole numbers': withClaims({ exp: 1e300 }),
    'exp beyond all numbers': forge(head, JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e999'), secret),
    'life a second too long': withClaims({ exp: Number(claims.iat) + 901 }),
    'life of a year, begun long ago': withClaims({
      iat: now - 31_000_000,
      nbf: now - 31_000_000,
      exp: now + 60,
    }),
    'life that ends where it begins': withClaims({ iat: now, nbf: now, exp: now }),
    'life that ends before it begins': withClaims({ iat: now + 4, nbf: now, exp: now + 2 }),
    'iat missing': forge(head, without(claims, 'iat'), secret),
    'iat a string': withClaims({ iat: String(claims.iat) }),
    'iat a fraction': withClaims({ iat: Number(claims.iat) + 0.5 }),
    'iat in the future': withClaims({ iat: now + 60, nbf: now + 60, exp: now + 900 }),
    'iat in the future, valid already': withClaims({ iat: now + 60, nbf: now, exp: now + 900 }),
    'nbf missing': forge(head, without(claims, 'nbf'), secret),
    'nbf in the future': withClaims({ nbf: now + 60 }),
    'nbf a string': withClaims({ nbf: '0' }),
  };
}

function breakIdentity({ secret, head, claims, withClaims, without }: Forger): Record<string, string> {
  return {
    'sub missing': forge(head, without(claims, 'sub'), secret),
    'sub empty': withClaims({ sub: '' }),
    'sub a number': withClaims({ sub: 1 }),
    'sub a list': withClaims({ sub: [claims.sub] }),
    'wid missing': forge(head, without(claims, 'wid'), secret),
    'wid of nobody': withClaims({ wid: 'ws_01kakv2fxse7wtg6x5r0h8rjbm' }),
    'wid empty': withClaims({ wid: '' }),
    'wid __proto__': withClaims({ wid: '__proto__' }),
    'org missing': forge(head, without(claims, 'org'), secret),
    'org null': withClaims({ org: 'null' }),
    'org that is not allowed': withClaims({ org: 'https://evil.example' }),
    'org as a pattern': withClaims({ org: 'https://*.shop.example.com' }),
    'org with a path': withClaims({ org: `${claims.org}/` }),
    'jti missing': forge(head, without(claims, 'jti'), secret),
    'jti a number': withClaims({ jti: 7 }),
    'gpc a string': withClaims({ gpc: 'false' }),
    'lib false': withClaims({ lib: false }),
    'region source made up': withClaims({ rsc: 'visitor' }),
    'an extra claim': withClaims({ admin: true }),
    'an extra claim __proto__': forge(
      head,
      JSON.stringify(claims).replace('{', '{"__proto__":{"admin":true},'),
      secret,
    ),
    'claims as a list': forge(head, [claims], secret),
    'claims null': forge(head, 'null', secret),
    'claims that are text': forge(head, '"claims"', secret),
    'claims that are no JSON': forge(head, JSON.stringify(claims).slice(0, -1), secret),
    'claims that are binary': forge(head, '\u0000\uffff', secret),
  };
}

function swapParts({ now, claims, foreign, unsigned, withClaims, swapped }: Forger): Record<string, string> {
  return {
    'visitor swapped': swapped({ sub: foreign.claims.sub }),
    'workspace swapped': swapped({ wid: foreign.claims.wid }),
    'origin swapped': swapped({ org: foreign.claims.org }),
    'visitor of another workspace, with that token’s signature': `${unsigned}.${foreign.signature}`,
    'workspace of another token, properly signed': withClaims({ wid: foreign.claims.wid }),
    'life prolonged': swapped({ exp: now + 890, iat: now }),
    'GPC taken back': swapped({ gpc: !claims.gpc }),
  };
}

function breakSignature({
  good,
  encodedSecret,
  visitorIdSecret,
  head,
  claims,
  signature,
  unsigned,
}: Forger): Record<string, string> {
  return {
    'signed with another secret': forge(head, claims, Buffer.alloc(32, 7)),
    'signed with an empty secret': forge(head, claims, Buffer.alloc(0)),
    'signed with the word secret': forge(head, claims, Buffer.from('secret')),
    'signed with the encoded secret': forge(head, claims, Buffer.from(encodedSecret)),
    'signed with the key of the visitor ids': forge(head, claims, visitorIdSecret),
    'signed with its own kid': forge(head, claims, Buffer.from(String(head.kid))),
    'signature of zeros': `${unsigned}.${'A'.repeat(43)}`,
    'signature cut': good.slice(0, -1),
    'signature of one bit less': `${unsigned}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    'signature missing': `${unsigned}.`,
    'signature missing with its dot': unsigned,
  };
}

function breakSpelling({
  good,
  signature,
  headPart,
  claimsPart,
  withClaims,
}: Forger): Record<string, string> {
  return {
    'signature padded': `${good}=`,
    'claims padded': `${headPart}.${claimsPart}==.${signature}`,
    'header padded': `${headPart}=.${claimsPart}.${signature}`,
    'a dot more': `${good}.`,
    'a dot in front': `.${good}`,
    'four parts': `${good}.${signature}`,
    'five parts': `${headPart}..${claimsPart}.${signature}.AAAA`,
    'dots only': '..',
    'a line end behind': `${good}\n`,
    'a line end within': `${headPart}.\n${claimsPart}.${signature}`,
    'a carriage return behind': `${good}\r`,
    'a tab within': `${headPart}.\t${claimsPart}.${signature}`,
    'a space within': `${headPart}. ${claimsPart}.${signature}`,
    'a zero byte behind': `${good}\0`,
    'a question mark behind': `${good}?`,
    'percent-encoded': good.replace('.', '%2E'),
    'in quotes': `"${good}"`,
    'twice, with a comma': `${good},${good}`,
    'twice, with a comma and a space': `${good}, ${good}`,
    'as JSON': JSON.stringify({ protected: headPart, payload: claimsPart, signature }),
    'standard base64': `${headPart}.${claimsPart}.${signature.replaceAll('-', '+').replaceAll('_', '/')}+`,
    endless: `${headPart}.${'A'.repeat(4000)}.${signature}`,
    'endless and signed': withClaims({ jti: 'j'.repeat(3000) }),
  };
}

function breakExpired({
  secret,
  now,
  head,
  claims,
  withClaims,
  without,
  expired,
}: Forger): Record<string, string> {
  return {
    'expired, and of another audience': withClaims({ ...expired, aud: 'gp-dashboard' }),
    'expired, and signed by somebody else': forge(head, { ...claims, ...expired }, Buffer.alloc(32, 7)),
    'expired, and with an extra claim': withClaims({ ...expired, admin: true }),
    'expired, after too long a life': withClaims({ ...expired, iat: now - 5000, nbf: now - 5000 }),
    'expired, and without its workspace': forge(head, without({ ...claims, ...expired }, 'wid'), secret),
    'expired, with alg none': `${encode({ ...head, alg: 'none' })}.${encode({ ...claims, ...expired })}.`,
    'expired, with a fraction': withClaims({ ...expired, exp: now - 100.5 }),
    'expired, and padded': `${withClaims(expired)}=`,
  };
}

/** Other spellings of the same bytes. */
function respellParts({ good, headPart, claimsPart, signature }: Forger): Record<string, string> {
  const bad: Record<string, string> = {};
  for (const [name, part] of Object.entries({ header: headPart, claims: claimsPart, signature })) {
    const spelling = respell(part);
    if (spelling) bad[`${name} with other unused bits`] = good.replace(part, spelling);
  }
  return bad;
}

const DEFECTS = [
  breakAlgorithm,
  breakKeyId,
  breakType,
  breakHeader,
  breakAudience,
  breakTimes,
  breakIdentity,
  swapParts,
  breakSignature,
  breakSpelling,
  breakExpired,
  respellParts,
];

/** Requests an unknown conversation: 404 means that the token was accepted. */
export async function getTokenStatus(harness: Harness, jwt: string): Promise<string> {
  const { status, json } = await readResponse<{ error: string }>(
    harness.fetch('/conversations/none', { headers: { authorization: `Bearer ${jwt}` } }),
  );
  return status === 404 ? 'accepted' : json.error;
}
