import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { identity, memoize } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import { decodeId, encodeId, newUuid } from '../base/ids.ts';
import type { KeyRing, RingKey } from './key-ring.ts';

/**
 * Visitor ids are self-authenticating: the last five bytes are an HMAC of the rest and the workspace, so a returning
 * visitor is recognized before anything about the visitor may be stored. Other bytes of the same HMAC make the
 * pseudonym under which everything about the visitor is stored and shown. Without the key, neither the id nor the
 * pseudonym can be computed from the other. See docs/adr/0002-self-authenticating-visitor-ids.md.
 */
const DIGEST_BYTES = 5;
const PSEUDONYM_FROM = 16;

export type VisitorIdentity = {
  /** Known to the visitor's browser alone, because `/boot` continues the visitor who sends it. */
  browserId: string;
  /** The pseudonym: what is stored, exported and shown. */
  visitorId: string;
  /** All that is stored of an erased visitor. Does not reveal the pseudonym without the key. */
  erasureKey: string;
};

export type VisitorIds = {
  mint(workspaceId: string): VisitorIdentity;
  /** Returns undefined unless this installation minted the id for this workspace. */
  recognize(workspaceId: string, browserId: string): VisitorIdentity | undefined;
  /** Returns the same identity on every device. `recognize` refuses it: only a user token continues a known customer. */
  ofCustomer(workspaceId: string, sub: string, generation: number): VisitorIdentity;
};

/** What a site says of a visitor whom it has signed in. */
export type Customer = {
  name?: string | undefined;
  email?: string | undefined;
  /** The entries of audiences that the customer's attributes are, such as `plan=pro`. */
  attributes?: readonly string[] | undefined;
};

type AllVisitorIds = VisitorIds & {
  recognizeCustomer(workspaceId: string, browserId: string): VisitorIdentity | undefined;
};

export function createVisitorIds(key: KeyObject): AllVisitorIds {
  const createMac = (workspaceId: string) => createHmac('sha256', key).update(workspaceId);
  const ofBrowser = (workspaceId: string, head: Uint8Array) => createMac(workspaceId).update(head).digest();
  const ofKnown = (workspaceId: string, head: Uint8Array) =>
    createMac(workspaceId).update('customer').update(head).digest();
  const complete = (bytes: Uint8Array, workspaceId: string, digest: typeof ofBrowser) => {
    const headLength = bytes.length - DIGEST_BYTES;
    const proof = digest(workspaceId, bytes.subarray(0, headLength));
    bytes.set(proof.subarray(0, DIGEST_BYTES), headLength);
    return toIdentity(encodeId('vis', bytes), proof);
  };
  const recognizeBy = (digest: typeof ofBrowser) => (workspaceId: string, browserId: string) => {
    const bytes = decodeId('vis', browserId);
    if (!bytes) return undefined;
    const headLength = bytes.length - DIGEST_BYTES;
    const proof = digest(workspaceId, bytes.subarray(0, headLength));
    const isOwn = timingSafeEqual(proof.subarray(0, DIGEST_BYTES), bytes.subarray(headLength));
    return isOwn ? toIdentity(browserId, proof) : undefined;
  };
  return {
    mint: (workspaceId) => complete(newUuid(), workspaceId, ofBrowser),
    recognize: recognizeBy(ofBrowser),
    ofCustomer(workspaceId, sub, generation) {
      const bytes = createMac(workspaceId).update(`sub ${generation} ${sub}`).digest().subarray(0, 16);
      return complete(bytes, workspaceId, ofKnown);
    },
    recognizeCustomer: recognizeBy(ofKnown),
  };
}

/** Makes each part of an identity from different bytes of the HMAC. */
function toIdentity(browserId: string, proof: Buffer): VisitorIdentity {
  return {
    browserId,
    visitorId: encodeId('vp', proof.subarray(PSEUDONYM_FROM)),
    erasureKey: proof.toString('base64url', DIGEST_BYTES, PSEUDONYM_FROM),
  };
}

/** One visitor of one workspace on one origin. */
type VisitorClaims = VisitorIdentity & {
  workspaceId: string;
  origin: string;
  /** The region that the consent directive applies to. */
  regionCode: string;
  /** How the region was determined. */
  regionSource: 'edge_header' | 'geo_db' | 'none';
  /** Whether the browser sent Global Privacy Control at boot. */
  gpc: boolean;
  policyVersion: string;
  /** Whether an HTTP library or a headless browser booted, which does not count as a visitor. */
  isLibrary: boolean;
  /** Present if the site has signed the visitor in. */
  customer?: Customer | undefined;
  expiresAtSeconds: number;
};

type VerifyResult = { ok: true; claims: VisitorClaims } | { ok: false; expired: boolean; reason: string };

export type VisitorTokens = {
  sign(claims: Omit<VisitorClaims, 'visitorId' | 'erasureKey' | 'expiresAtSeconds'>): {
    jwt: string;
    expiresAtSeconds: number;
  };
  verify(jwt: string): Promise<VerifyResult>;
};

const TYP = 'gp-visitor+jwt';
const AUDIENCE = 'gp-visitor';
const ISSUER = 'guidepost';
const CLOCK_TOLERANCE_SECONDS = 5;
const TOKEN_CHARS_MAX = 4096;

/** Allows one encoding per token: jose also accepts padding, line breaks and stray trailing bits. */
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
  lib: z.literal(true).optional(),
  usr: z
    .strictObject({
      name: z.string().optional(),
      email: z.string().optional(),
      attributes: z.array(z.string()).readonly().optional(),
    })
    .optional(),
  jti: z.string().min(1).max(64),
  iat: z.int(),
  nbf: z.int(),
  exp: z.int(),
});

type RecognizedIds = Pick<AllVisitorIds, 'recognize' | 'recognizeCustomer'>;

export function createVisitorTokens(ring: KeyRing, clock: Clock, visitorIds: RecognizedIds): VisitorTokens {
  return {
    // Signed by hand, because jose would more than double the cost of a boot:
    // docs/adr/0001-visitor-token-signing.md.
    sign(claims) {
      const nowSeconds = Math.floor(clock.now() / 1000);
      const expiresAtSeconds = nowSeconds + CHAT_LIMITS.visitorTokenSeconds;
      const { kid, key } = ring.signing(clock.now());
      const body = encode({
        iss: ISSUER,
        aud: AUDIENCE,
        sub: claims.browserId,
        wid: claims.workspaceId,
        org: claims.origin,
        rgn: claims.regionCode,
        rsc: claims.regionSource,
        gpc: claims.gpc,
        pol: claims.policyVersion,
        ...(claims.isLibrary && { lib: true as const }),
        ...(claims.customer && { usr: claims.customer }),
        jti: Buffer.from(newUuid()).toString('base64url'),
        iat: nowSeconds,
        nbf: nowSeconds,
        exp: expiresAtSeconds,
      } satisfies z.infer<typeof payload>);
      const signed = `${encodeHeader(kid)}.${body}`;
      const signature = createHmac('sha256', key).update(signed).digest('base64url');
      return { jwt: `${signed}.${signature}`, expiresAtSeconds };
    },

    async verify(jwt) {
      const now = clock.now();
      const key = findKey(jwt, ring, now);
      return typeof key === 'string' ? invalid(key) : verifyWith(key, jwt, now, visitorIds);
    },
  };
}

const encodeHeader = memoize((kid: string) => encode({ alg: 'HS256', typ: TYP, kid }), identity);

function invalid(reason: string): VerifyResult {
  return { ok: false, expired: false, reason };
}

/** Returns the key that the token names, or the reason why there is none. */
function findKey(jwt: string, ring: KeyRing, nowMillis: number): RingKey | string {
  if (jwt.length > TOKEN_CHARS_MAX || !isCanonical(jwt)) return 'not a canonical compact token';
  const head = header.safeParse(decode(jwt.split('.')[0]!));
  if (!head.success) return 'foreign header';
  return ring.find(head.data.kid, nowMillis) ?? 'unknown or retired key';
}

async function verifyWith(
  { key }: RingKey,
  jwt: string,
  nowMillis: number,
  visitorIds: RecognizedIds,
): Promise<VerifyResult> {
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
    return checkClaims(claims, nowMillis, visitorIds);
  } catch (error) {
    // `expired` only for tokens that are valid in every other respect.
    if (error instanceof errors.JWTExpired) {
      const result = checkClaims(error.payload, nowMillis, visitorIds);
      return result.ok ? { ok: false, expired: true, reason: 'expired' } : result;
    }
    return invalid(error instanceof errors.JOSEError ? error.code : 'unreadable');
  }
}

/** Checks what jose does not: unknown claims, fractional seconds, and the maximum lifetime. */
function checkClaims(claims: unknown, nowMillis: number, visitorIds: RecognizedIds): VerifyResult {
  const parsed = payload.safeParse(claims);
  if (!parsed.success) return invalid('foreign claims');
  const { iat, nbf, exp } = parsed.data;
  const latest = nowMillis / 1000 + CLOCK_TOLERANCE_SECONDS;
  if (exp <= iat || exp - iat > CHAT_LIMITS.visitorTokenSeconds || iat > latest || nbf > latest) {
    return invalid('impossible times');
  }
  const { sub, wid, org, rgn, rsc, gpc, pol, lib, usr } = parsed.data;
  const identity = usr ? visitorIds.recognizeCustomer(wid, sub) : visitorIds.recognize(wid, sub);
  if (!identity) return invalid('foreign visitor');
  return {
    ok: true,
    claims: {
      ...identity,
      workspaceId: wid,
      origin: org,
      regionCode: rgn,
      regionSource: rsc,
      gpc,
      policyVersion: pol,
      isLibrary: lib === true,
      customer: usr,
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
