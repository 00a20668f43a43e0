import type * as OpenidClient from 'openid-client';
import { request } from 'undici';
import type { PROVIDER_PROBLEMS } from '../../contract/identity-providers.ts';
import { PROVIDER_LIMITS } from '../../contract/limits/identity-providers.ts';
import { KIB } from '../../contract/limits/units.ts';
import { PrivateAddress } from '../base/address-guard.ts';
import type { Clock } from '../base/clock.ts';
import { isInNetworks, toLiteral } from '../base/network.ts';
import { openConnections, type ProxySettings } from '../base/proxy.ts';
import type { AddressCheck } from '../sources/public-addresses.ts';
import { readBody } from '../sources/website/fetch.ts';

/** Talks to identity providers: to those of workspaces at public addresses only, over https. */

type Configuration = OpenidClient.Configuration;
export type Provider = { issuer: string; clientId: string; clientSecret: string; isOfOperator: boolean };

type ProviderProblem = (typeof PROVIDER_PROBLEMS)[number];

/** Why nobody can sign in with a provider. */
export class ProviderUnusable extends Error {
  override readonly name = 'ProviderUnusable';
  readonly problem: ProviderProblem;
  /** Status of the response, unless it is 200. */
  readonly status: number | undefined;
  readonly statedIssuer: string | undefined;
  constructor(problem: ProviderProblem, more: { status?: number; statedIssuer?: string } = {}) {
    super([problem, more.status, more.statedIssuer].filter((part) => part !== undefined).join(' '));
    this.problem = problem;
    this.status = more.status;
    this.statedIssuer = more.statedIssuer;
  }
}

export type ProviderClient = {
  /** Reads what the provider publishes about itself, and keeps it for a while. @throws ProviderUnusable */
  open(provider: Provider): Promise<Configuration>;
  /** Reads it anew, and the keys with which the provider signs too. @throws ProviderUnusable */
  check(provider: Provider): Promise<Configuration>;
  close(): void;
};

type ClientOptions = {
  addressCheck: AddressCheck;
  /** Address blocks where http is allowed, too. */
  networks: readonly string[];
  proxy: ProxySettings | undefined;
  clock: Clock;
};

const RESPONSE_BYTES_MAX = 512 * KIB;
const HEADER_BYTES_MAX = 32 * KIB;
const KEPT_MAX = 500;

export function createProviderClient({
  addressCheck,
  networks,
  proxy,
  clock,
}: ClientOptions): ProviderClient {
  const common = { allowH2: false, maxHeaderSize: HEADER_BYTES_MAX };
  const guarded = openConnections(proxy, { ...common, connect: { lookup: addressCheck.lookup } });
  const open = openConnections(proxy, common);
  const kept = new Map<string, { until: number; configuration: Promise<Configuration> }>();

  function createFetch({ isOfOperator }: Provider): OpenidClient.CustomFetch {
    return async (address, { method, headers, body, signal }) => {
      const url = new URL(address);
      // A connection checks the name that it resolves. A proxy resolves names by itself, so they are checked before.
      const refused = isOfOperator ? undefined : await addressCheck.find(url);
      if (refused) throw refused;
      const response = await request(url, {
        method: method as 'GET' | 'POST',
        headers,
        body: body instanceof URLSearchParams ? body.toString() : (body as string | undefined),
        dispatcher: isOfOperator ? open : guarded,
        signal,
      });
      const limit = signal ?? AbortSignal.timeout(PROVIDER_LIMITS.responseSeconds * 1000);
      const bytes = await readBody(response.body, 'identity', RESPONSE_BYTES_MAX, limit);
      const isEmpty = [204, 205, 304].includes(response.statusCode);
      return new Response(isEmpty ? null : Buffer.from(bytes), {
        status: response.statusCode,
        headers: toHeaders(response.headers),
      });
    };
  }

  async function read(provider: Provider): Promise<Configuration> {
    const issuer = URL.parse(provider.issuer);
    const isAllowed = issuer && isAllowedIssuer(issuer, provider.isOfOperator, networks);
    if (!isAllowed) throw new ProviderUnusable('address_not_allowed');
    const client = await import('openid-client');
    const { clientId, clientSecret } = provider;
    const configuration = await client
      .discovery(issuer, clientId, undefined, chooseAuthentication(client, clientSecret), {
        [client.customFetch]: createFetch(provider),
        timeout: PROVIDER_LIMITS.responseSeconds,
        execute: [
          client.enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
        ],
      })
      .catch((error) => {
        throw toUnusable(error);
      });
    assertUsable(configuration, issuer);
    return configuration;
  }

  return {
    async check(provider) {
      const configuration = await read(provider);
      const signal = AbortSignal.timeout(PROVIDER_LIMITS.responseSeconds * 1000);
      const options = { method: 'GET', headers: {}, body: undefined, redirect: 'manual', signal } as const;
      const { jwks_uri = '' } = configuration.serverMetadata();
      const response = await createFetch(provider)(jwks_uri, options).catch(() => undefined);
      const found: unknown = await response?.json().catch(() => undefined);
      const { keys } = (found ?? {}) as { keys?: unknown };
      if (!Array.isArray(keys) || keys.length === 0)
        throw new ProviderUnusable('no_keys', response?.ok === false ? { status: response.status } : {});
      return configuration;
    },
    open(provider) {
      const key = JSON.stringify(provider);
      const known = kept.get(key);
      if (known && known.until > clock.now()) return known.configuration;
      if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value!);
      const entry = { until: clock.now() + PROVIDER_LIMITS.discoveryMillis, configuration: read(provider) };
      entry.configuration.catch(() => {
        entry.until = clock.now() + PROVIDER_LIMITS.discoveryFailedMillis;
      });
      kept.delete(key);
      kept.set(key, entry);
      return entry.configuration;
    },
    close() {
      void guarded.destroy();
      void open.destroy();
    },
  };
}

function isAllowedIssuer(url: URL, isOfOperator: boolean, networks: readonly string[]): boolean {
  const { protocol, hostname, username, password, search, hash } = url;
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
  return protocol === 'https:' || isOfOperator || isInNetworks(toLiteral(hostname), networks);
}

/** Sends the secret as the provider wants it: Basic is the default of OpenID Connect. */
function chooseAuthentication(
  { ClientSecretBasic, ClientSecretPost }: typeof OpenidClient,
  secret: string,
): OpenidClient.ClientAuth {
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isBasic = methods.includes('client_secret_basic') || !methods.includes('client_secret_post');
    return (isBasic ? ClientSecretBasic(secret) : ClientSecretPost(secret))(server, ...rest);
  };
}

function toUnusable(error: unknown): ProviderUnusable {
  const causes: unknown[] = [];
  for (let each = error; each instanceof Error && causes.length < 8; each = each.cause) causes.push(each);
  if (causes.some((cause) => cause instanceof PrivateAddress))
    return new ProviderUnusable('address_not_allowed');
  const response = causes.map((cause) => (cause as Error).cause).find((cause) => cause instanceof Response);
  if (response)
    return new ProviderUnusable('no_document', response.status === 200 ? {} : { status: response.status });
  const codes = causes.map((cause) => (cause as { code?: string }).code);
  if (codes.includes('OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')) {
    const details = causes.map((cause) => (cause as Error).cause).find((cause) => isWithIssuer(cause));
    const statedIssuer = details?.body.issuer.slice(0, PROVIDER_LIMITS.issuerCharsMax);
    return new ProviderUnusable('wrong_issuer', statedIssuer === undefined ? {} : { statedIssuer });
  }
  const isResponse = codes.some((code) => /^OAUTH_(INVALID_RESPONSE|PARSE_ERROR|RESPONSE)/.test(code ?? ''));
  return new ProviderUnusable(isResponse ? 'no_document' : 'unreachable');
}

const isWithIssuer = (cause: unknown): cause is { body: { issuer: string } } =>
  typeof (cause as { body?: { issuer?: unknown } } | undefined)?.body?.issuer === 'string';

/** @throws ProviderUnusable */
function assertUsable(configuration: Configuration, issuer: URL): void {
  const server = configuration.serverMetadata();
  const endpoint = URL.parse(server.authorization_endpoint ?? '');
  if (!endpoint || !server.token_endpoint || !server.jwks_uri) throw new ProviderUnusable('no_endpoint');
  // The browser is sent there.
  if (endpoint.protocol !== 'https:' && endpoint.protocol !== issuer.protocol)
    throw new ProviderUnusable('no_endpoint');
  if (server.response_types_supported && !server.response_types_supported.includes('code'))
    throw new ProviderUnusable('no_code_flow');
}

function toHeaders(headers: Record<string, string | string[] | undefined>): Headers {
  const all = new Headers();
  for (const [name, values] of Object.entries(headers))
    for (const value of [values ?? []].flat()) all.append(name, value);
  return all;
}
