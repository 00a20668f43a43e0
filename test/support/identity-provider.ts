import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
// @ts-expect-error: the package has no types
import Provider from 'oidc-provider';

/** Identity providers: a real one from a package, and one that lies. */

export const CLIENT = { clientId: 'guidepost', clientSecret: 'a-secret-of-the-provider' };

export type IdentityProvider = {
  issuer: string;
  /** What it says about the people who can sign in, by their id there. */
  people: Map<string, Record<string, unknown>>;
  /** Signs a person in at the page to which the service leads, and returns the query that it leads back with. */
  signIn(url: string, subject: string): Promise<string>;
  close(): Promise<void>;
};

/** Opens a provider of the package `oidc-provider`. `person` in the address of a page signs that person in without asking. */
export async function openIdentityProvider(callbackUrl: string): Promise<IdentityProvider> {
  const people: IdentityProvider['people'] = new Map();
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const server = createServer((request, response) => handle(request, response));
  const issuer = await listen(server);
  const provider = new Provider(issuer, await describe(callbackUrl, people));
  let next: string | undefined;
  const answer = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response);
    const page = new URL(request.url, issuer);
    const subject = page.searchParams.get('person') ?? next;
    next = undefined;
    if (subject === undefined) return response.setHeader('content-type', 'text/html').end(toPage(people));
    const login = { accountId: subject, amr: people.get(subject)?.amr };
    return void provider.interactionFinished(request, response, { login });
  };
  return {
    issuer,
    people,
    async signIn(url, subject) {
      next = subject;
      return followTo(url, callbackUrl);
    },
    close: () => close(server),
  };
}

const toPage = (people: IdentityProvider['people']) =>
  `<!doctype html><html lang="en"><title>Sign in</title>${[...people.keys()]
    .map((id) => `<a href="?person=${id}">${id}</a>`)
    .join(' ')}`;

async function describe(callbackUrl: string, people: IdentityProvider['people']) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: 'of-tests', alg: 'RS256', use: 'sig' };
  return {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [callbackUrl],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ['a key of tests'] },
    claims: {
      openid: ['sub', 'amr', 'auth_time'],
      email: ['email', 'email_verified', 'groups'],
      profile: ['name'],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...people.get(accountId) }),
    }),
    async loadExistingGrant({ oidc }: { oidc: GrantContext }) {
      const { clientId } = oidc.client;
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    renderError(ctx: { body: string }, { error, error_description }: Record<string, string>) {
      ctx.body = `${error}: ${error_description}`;
    },
  };
}

type Grant = { addOIDCScope(scope: string): void; save(): Promise<void> };
type GrantContext = {
  client: { clientId: string };
  session: { accountId: string };
  provider: { Grant: new (of: object) => Grant };
};

/** Follows redirects with cookies, as a browser does, until they lead back to the service. */
async function followTo(start: string, callbackUrl: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let step = 0; step < 10; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (value === '') cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const location = response.headers.get('location');
    if (!location) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
    url = new URL(location, url).href;
    if (url.startsWith(callbackUrl)) return new URL(url).search;
  }
  throw new Error('the provider never led back');
}

export type LyingProvider = {
  issuer: string;
  /** What replaces the discovery document, and the claims and the form of the next ID token. */
  lie: {
    document?: object;
    claims?: JWTPayload;
    /** Replaces the whole token. */
    token?: (payload: JWTPayload) => string | Promise<string>;
    userinfo?: object;
  };
  /** Requests of the token endpoint, as form fields. */
  redeemed: URLSearchParams[];
  /** Paths that were asked for. */
  asked: string[];
  close(): Promise<void>;
};

/** Opens a provider that answers with what `lie` says, and else correctly. */
export async function openLyingProvider(claims: JWTPayload): Promise<LyingProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'of-tests', alg: 'RS256', use: 'sig' };
  const redeemed: URLSearchParams[] = [];
  const asked: string[] = [];
  const lie: LyingProvider['lie'] = {};
  let issuer = '';
  async function answer(path: string, body: string): Promise<object | undefined> {
    if (path === '/.well-known/openid-configuration') return { ...toDocument(issuer), ...lie.document };
    if (path === '/jwks') return { keys: [jwk] };
    if (path === '/userinfo') return lie.userinfo;
    if (path !== '/token') return undefined;
    redeemed.push(new URLSearchParams(body));
    const now = Math.floor(Date.now() / 1000);
    const standard = { iss: issuer, aud: CLIENT.clientId, iat: now, exp: now + 300, ...claims };
    const payload = { ...standard, ...lie.claims };
    const token = lie.token
      ? await lie.token(payload)
      : await new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'of-tests' }).sign(privateKey);
    return { access_token: 'an-access-token', token_type: 'Bearer', expires_in: 300, id_token: token };
  }
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const path = request.url!.split('?')[0]!;
    asked.push(path);
    const json = await answer(path, body);
    response
      .writeHead(json ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(json ?? { error: 'not_found' }));
  });
  issuer = await listen(server);
  return { issuer, lie, redeemed, asked, close: () => close(server) };
}

const toDocument = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  userinfo_endpoint: `${issuer}/userinfo`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
});

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
