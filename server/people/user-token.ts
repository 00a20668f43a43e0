import { decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { audienceEntry } from '../../contract/article-fields.ts';
import type { CustomerAttribute } from '../../contract/customer-attributes.ts';
import { email as emailSchema } from '../../contract/fields.ts';
import { CUSTOMER_LIMITS } from '../../contract/limits/customers.ts';
import { isPossibleEntry, toAudienceEntry } from '../base/audience.ts';
import { once } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import { normalizeLine } from '../base/text.ts';
import type { AddressCheck } from '../sources/public-addresses.ts';
import type { StoredCustomerKey } from '../storage/customer-keys.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import type { Customer } from '../tokens/visitor-token.ts';

/** Reads user tokens: what a site says of a visitor whom it has signed in. */

export type KnownCustomer = { sub: string; customer: Customer };
type Refusal = 'expired' | 'invalid' | 'no_key';

type Deps = {
  store: Pick<Store, 'in'>;
  clock: Clock;
  secrets: SecretBox;
  addressCheck: AddressCheck;
};

/** An algorithm belongs to one kind of key, so that no public key can pass for a secret. */
const ALGORITHMS = { secret: ['HS256'], key_set: ['RS256', 'ES256'] } as const;
const CLOCK_TOLERANCE_SECONDS = 5;

export function createUserTokens({ store, clock, secrets, addressCheck }: Deps) {
  const openKeySets = once(async () => (await import('./key-set.ts')).createKeySets(addressCheck));

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
  ): Promise<KnownCustomer | Refusal> {
    const key = await openKey(stored);
    if (!key) return 'no_key';
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
      if (error instanceof errors.JWTExpired) return 'expired';
      const isRefused = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout);
      return isRefused ? 'invalid' : 'no_key';
    }
  }

  return {
    /** Never throws: a token that cannot be used is the visitor without it. */
    async read(workspace: Workspace, token: string): Promise<KnownCustomer | Refusal> {
      const keys = await store.in(workspace.id).customerKeys.list();
      if (keys.length === 0) return 'no_key';
      const algorithm = readAlgorithm(token);
      let refusal: Refusal = 'invalid';
      for (const key of keys) {
        if (!ALGORITHMS[key.kind].some((one) => one === algorithm)) continue;
        const result = await tryKey(token, key, workspace);
        if (typeof result !== 'string' || result === 'expired') return result;
        if (result === 'no_key') refusal = result;
      }
      return refusal;
    },
  };
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
): KnownCustomer | 'invalid' {
  const { sub, iat, exp, name, email } = payload;
  if (typeof sub !== 'string' || sub === '' || sub.length > CUSTOMER_LIMITS.subCharsMax) return 'invalid';
  if (exp! - Math.max(iat ?? nowSeconds, nowSeconds) > CUSTOMER_LIMITS.userTokenSecondsMax) return 'invalid';
  const parsed = emailSchema.safeParse(email);
  const attributes = declared.flatMap((attribute) => readAttribute(attribute, payload[attribute.name]));
  return {
    sub,
    customer: {
      name: typeof name === 'string' ? normalizeLine(name, CUSTOMER_LIMITS.nameCharsMax) : undefined,
      email: parsed.success ? parsed.data : undefined,
      ...(attributes.length > 0 && { attributes }),
    },
  };
}

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
