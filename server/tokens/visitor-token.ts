import { errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { newUuid } from '../ids.ts';
import { type Hmac, hmacSha256 } from './hmac.ts';
import type { KeyRing, RingKey } from './key-ring.ts';

/** What a visitor token says: one visitor, one workspace, one origin (interface document, section 2.1). */
export type VisitorClaims = {
  readonly visitorId: string;
  readonly workspaceId: string;
  readonly origin: string;
  /** The region that the directive was made for. */
  readonly regionCode: string;
  /** Who told the region: an edge header, the geo database, or nobody. */
  readonly regionSource: 'edge_header' | 'geo_db' | 'none';
  /** True when the browser signalled Global Privacy Control at boot. */
  readonly gpc: boolean;
  readonly policyVersion: string;
  readonly expiresAtSeconds: number;
};

export type Verdict =
  | { readonly ok: true; readonly claims: VisitorClaims }
  | { readonly ok: false; readonly expired: boolean; readonly reason: string };

export type VisitorTokens = {
  sign(claims: Omit<VisitorClaims, 'expiresAtSeconds'>): {
    readonly jwt: string;
    readonly expiresAtSeconds: number;
  };
  verify(jwt: string): Promise<Verdict>;
};

const TYP = 'gp-visitor+jwt';
const AUDIENCE = 'gp-visitor';
const ISSUER = 'guidepost';
const CLOCK_TOLERANCE_SECONDS = 5;
const TOKEN_CHARS_MAX = 2048;
const VERIFIED_KEPT = 10_000;

/** Exactly one spelling of a token is a token: jose alone accepts padding, line ends and loose trailing bits. */
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/;

const header = z.strictObject({ alg: z.literal('HS256'), typ: z.literal(TYP), kid: z.string().max(32) });
const payload = z.strictObject({
  iss: z.literal(ISSUER),
  aud: z.literal(AUDIENCE),
  sub: z.string().min(1).max(64),
  wid: z.string().min(1).max(64),
  org: z.string().min(1).max(512),
  rgn: z.string().min(2).max(6),
  rsc: z.enum(['edge_header', 'geo_db', 'none']),
  gpc: z.boolean(),
  pol: z.string().max(64),
  jti: z.string().min(1).max(64),
  iat: z.int(),
  nbf: z.int(),
  exp: z.int(),
});

export function createVisitorTokens(ring: KeyRing, clock: Clock): VisitorTokens {
  const verified = new Map<string, { readonly claims: VisitorClaims; readonly key: RingKey }>();
  const signers = new WeakMap<RingKey, Signer>();
  return {
    // Signed by hand: a JWS of fixed shape is one HMAC, and jose's signing costs ten times as much of a boot.
    sign(claims) {
      const nowSeconds = Math.floor(clock.now() / 1000);
      const expiresAtSeconds = nowSeconds + LIMITS.visitorTokenSeconds;
      const signing = ring.signing(clock.now());
      const signer = signers.get(signing) ?? signerOf(signing);
      signers.set(signing, signer);
      const body = encode({
        iss: ISSUER,
        aud: AUDIENCE,
        sub: claims.visitorId,
        wid: claims.workspaceId,
        org: claims.origin,
        rgn: claims.regionCode,
        rsc: claims.regionSource,
        gpc: claims.gpc,
        pol: claims.policyVersion,
        jti: Buffer.from(newUuid()).toString('base64url'),
        iat: nowSeconds,
        nbf: nowSeconds,
        exp: expiresAtSeconds,
      } satisfies z.infer<typeof payload>);
      const signed = `${signer.head}.${body}`;
      return { jwt: `${signed}.${signer.mac([signed], 'base64url')}`, expiresAtSeconds };
    },

    async verify(jwt) {
      const now = clock.now();
      const known = verified.get(jwt);
      // A key that was taken out of the ring takes the tokens along that were verified with it.
      const holds = known && ring.find(known.key.kid, now) === known.key;
      if (holds && known.claims.expiresAtSeconds * 1000 > now) return { ok: true, claims: known.claims };
      verified.delete(jwt);
      const key = keyOf(jwt, ring, now);
      if (typeof key === 'string') return invalid(key);
      const verdict = await verifyWith(key, jwt, now);
      if (verdict.ok) {
        if (verified.size >= VERIFIED_KEPT) verified.delete(verified.keys().next().value!);
        verified.set(jwt, { claims: verdict.claims, key });
      }
      return verdict;
    },
  };
}

type Signer = { readonly head: string; readonly mac: Hmac };

function signerOf({ kid, key }: RingKey): Signer {
  return { head: encode({ alg: 'HS256', typ: TYP, kid }), mac: hmacSha256(key) };
}

function invalid(reason: string): Verdict {
  return { ok: false, expired: false, reason };
}

/** The key that the token says it was signed with, or why it cannot be one of ours. */
function keyOf(jwt: string, ring: KeyRing, nowMillis: number): RingKey | string {
  if (jwt.length > TOKEN_CHARS_MAX || !isCanonical(jwt)) return 'not a canonical compact token';
  const head = header.safeParse(decode(jwt.split('.')[0]!));
  if (!head.success) return 'foreign header';
  return ring.find(head.data.kid, nowMillis) ?? 'unknown or retired key';
}

async function verifyWith({ key }: RingKey, jwt: string, nowMillis: number): Promise<Verdict> {
  try {
    const { payload: claims } = await jwtVerify(jwt, key, {
      algorithms: ['HS256'],
      typ: TYP,
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ['exp', 'iat', 'nbf', 'sub', 'jti', 'wid', 'org'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(nowMillis),
    });
    return strict(claims, nowMillis, false);
  } catch (error) {
    // Only a token that was ours in every other respect is told that it has expired.
    if (error instanceof errors.JWTExpired) return strict(error.payload, nowMillis, true);
    return invalid(error instanceof errors.JOSEError ? error.code : 'unreadable');
  }
}

/** What jose leaves open: exact members, whole numbers, and a life no longer than we give. */
function strict(claims: unknown, nowMillis: number, expired: boolean): Verdict {
  const parsed = payload.safeParse(claims);
  if (!parsed.success) return invalid('foreign claims');
  const { iat, nbf, exp } = parsed.data;
  const latest = nowMillis / 1000 + CLOCK_TOLERANCE_SECONDS;
  if (exp <= iat || exp - iat > LIMITS.visitorTokenSeconds || iat > latest || nbf > latest) {
    return invalid('impossible times');
  }
  if (expired) return { ok: false, expired: true, reason: 'expired' };
  const { sub, wid, org, rgn, rsc, gpc, pol } = parsed.data;
  return {
    ok: true,
    claims: {
      visitorId: sub,
      workspaceId: wid,
      origin: org,
      regionCode: rgn,
      regionSource: rsc,
      gpc,
      policyVersion: pol,
      expiresAtSeconds: exp,
    },
  };
}

function isCanonical(jwt: string): boolean {
  if (!COMPACT.test(jwt)) return false;
  return jwt.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
