import { decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { audienceEntry } from '../../contract/article-fields.ts';
import type { CustomerAttribute } from '../../contract/customer-attributes.ts';
import type { UserTokenCheck, UserTokenProblem } from '../../contract/customers.ts';
import { email as emailSchema } from '../../contract/fields.ts';
import { CUSTOMER_LIMITS } from '../../contract/limits/customers.ts';
import type { NamedServers } from '../base/address-guard.ts';
import { isPossibleEntry, toAudienceEntry } from '../base/audience.ts';
import { once } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import { normalizeLine } from '../base/text.ts';
import type { StoredCustomerKey } from '../storage/customer-keys.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import type { Customer } from '../tokens/visitor-token.ts';

/** Reads user tokens: what a site says of a visitor whom it has signed in. */

export type KnownCustomer = {
  sub: string;
  customer: Customer;
  /** The names of the claims that are not kept. */
  dropped: readonly string[];
  expiresAtSeconds: number;
};

type Deps = {
  store: Pick<Store, 'in'>;
  clock: Clock;
  secrets: SecretBox;
  keySetServers: NamedServers;
};

/** An algorithm belongs to one kind of key, so that no public key can pass for a secret. */
const ALGORITHMS = { secret: ['HS256'], key_set: ['RS256', 'ES256'] } as const;
const CLOCK_TOLERANCE_SECONDS = 5;

export function createUserTokens({ store, clock, secrets, keySetServers }: Deps) {
  const openKeySets = once(async () => (await import('./key-set.ts')).createKeySets(keySetServers));

  /** Returns a function that finds the key of a token; undefined for a secret that cannot be decrypted. */
  async function openKey(key: StoredCustomerKey): Promise<JWTVerifyGetKey | undefined> {
    if (key.url !== undefined) return (await openKeySets())(key.url);
    const secret = await secrets.open(key.sealedSecret!, toSecretOwner(key.id));
    return secret === undefined ? undefined : async () => new TextEncoder().encode(secret);
  }

  async function tryKey(
    token: string,
    stored: StoredCustomerKey,
    { appId, settings }: Workspace,
  ): Promise<KnownCustomer | UserTokenProblem> {
    const key = await openKey(stored);
    if (!key) return 'unreadable_key';
    const options = {
      algorithms: [...ALGORITHMS[stored.kind]],
      audience: appId,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(clock.now()),
    };
    try {
      const { payload } = await jwtVerify(token, key, options);
      return readClaims(payload, clock.now() / 1000, settings.customerAttributes);
    } catch (error) {
      return toProblem(error);
    }
  }

  return {
    /** Never throws: a token that cannot be used is the visitor without it. */
    async read(workspace: Workspace, token: string): Promise<KnownCustomer | UserTokenProblem> {
      const keys = await store.in(workspace.id).customerKeys.list();
      if (keys.length === 0) return 'no_key';
      const algorithm = readAlgorithm(token);
      if (algorithm === undefined) return 'malformed';
      let problem: UserTokenProblem = 'algorithm';
      for (const key of keys) {
        if (!ALGORITHMS[key.kind].some((one) => one === algorithm)) continue;
        const result = await tryKey(token, key, workspace);
        // Only with these problems could another key have signed the token.
        if (result !== 'signature' && result !== 'unknown_key' && result !== 'unreadable_key') return result;
        if (problem !== 'unreadable_key') problem = result;
      }
      return problem;
    },
  };
}

/** Returns what visitors are told of a token. */
export function toTokenResult(read: KnownCustomer | UserTokenProblem): UserTokenCheck['result'] {
  if (typeof read === 'object') return 'accepted';
  if (read === 'expired') return 'expired';
  return read === 'no_key' || read === 'unreadable_key' ? 'no_key' : 'invalid';
}

/** Finds out why jose refuses a token. It checks the signature first, then the claims. */
function toProblem(error: unknown): UserTokenProblem {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return 'audience';
    return error.claim === 'sub' ? 'subject' : 'times';
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'unknown_key';
  const { JWSInvalid, JWTInvalid, JOSENotSupported } = errors;
  const isMalformed = [JWSInvalid, JWTInvalid, JOSENotSupported].some((kind) => error instanceof kind);
  return isMalformed ? 'malformed' : 'unreadable_key';
}

export type UserTokens = ReturnType<typeof createUserTokens>;

/** The owner of a secret in the secret box. */
export const toSecretOwner = (keyId: string) => `customer key ${keyId}`;

function readAlgorithm(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg;
  } catch {
    return undefined;
  }
}

function readClaims(
  payload: JWTPayload,
  nowSeconds: number,
  declared: readonly CustomerAttribute[] = [],
): KnownCustomer | UserTokenProblem {
  const { sub, iat, exp, name, email } = payload;
  if (typeof sub !== 'string' || sub === '' || sub.length > CUSTOMER_LIMITS.subCharsMax) return 'subject';
  if (exp! - Math.max(iat ?? nowSeconds, nowSeconds) > CUSTOMER_LIMITS.userTokenSecondsMax) return 'times';
  const parsed = emailSchema.safeParse(email);
  const kept = declared.map((attribute) => ({
    name: attribute.name,
    entries: readAttribute(attribute, payload[attribute.name]),
  }));
  const attributes = kept.flatMap(({ entries }) => entries);
  const customer = {
    name: typeof name === 'string' ? normalizeLine(name, CUSTOMER_LIMITS.nameCharsMax) : undefined,
    email: parsed.success ? parsed.data : undefined,
    ...(attributes.length > 0 && { attributes }),
  };
  const keptClaims = new Set([
    ...REGISTERED_CLAIMS,
    ...(['name', 'email'] as const).filter((claim) => customer[claim] !== undefined),
    ...kept.filter(({ entries }) => entries.length > 0).map(({ name }) => name),
  ]);
  const dropped = Object.keys(payload).filter((claim) => !keptClaims.has(claim));
  return { sub, customer, dropped, expiresAtSeconds: exp! };
}

/** The claims of RFC 7519. */
const REGISTERED_CLAIMS = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'];

/** Returns the entry of audiences; none if the value is not as declared, so that a wrong value opens nothing. */
function readAttribute(attribute: CustomerAttribute, value: unknown): string[] {
  const { name, type } = attribute;
  if (typeof value !== (type === 'boolean' ? 'boolean' : 'string')) return [];
  const entry = toAudienceEntry(name, value as string | boolean);
  const isShort = String(value).length <= CUSTOMER_LIMITS.attributeValueCharsMax;
  return isShort && audienceEntry.safeParse(entry).success && isPossibleEntry(entry, [attribute])
    ? [entry]
    : [];
}
