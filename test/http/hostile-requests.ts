import { contract } from '../../contract/index.ts';
import type { Route, Router } from '../../contract/route.ts';
import { ORIGIN, question } from '../support/harness.ts';
import { BOUNDARY, formOf } from '../support/requests.ts';
import { fc } from '../support/seeded-random.ts';
import { waveFile } from '../support/voice-service.ts';

export const nastyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.string({ unit: 'grapheme', maxLength: 50 }),
  fc.constantFrom(
    '',
    '\0',
    '\u202e\ufeff\u200b',
    '\ud800',
    '💥'.repeat(500),
    '__proto__',
    'constructor',
    "' OR 1=1; DROP TABLE turns; --",
    '"*" NEAR OR AND NOT (',
    '{{7*7}}<script>',
    '../../../etc/passwd',
    '\r\nevent: message_end\r\ndata: {}\r\n\r\n',
    'x'.repeat(5000),
    'ﬁ'.repeat(300),
    'a\u0301'.repeat(300),
    `${ORIGIN}/%E0%A4%A`,
    'https://[::1',
    'javascript:alert(1)',
    '9'.repeat(400),
  ),
);
const nastyNumber = fc.oneof(
  fc.double(),
  fc.constantFrom(
    -0,
    -1,
    0.5,
    1e308,
    5e-324,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ),
);
const nastyValue = fc.oneof(
  nastyText,
  nastyNumber,
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 4 }),
);

/** Paths to every value in a document. */
function placesIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = [...path, key];
    return [place, ...placesIn(inner, place)];
  });
}

function valueAt(document: unknown, place: readonly string[]): unknown {
  return place.reduce((inner, key) => (inner as Record<string, unknown>)[key], document);
}

/** `reword` changes texts and keeps the shape; the others change the shape. */
type Mutation = {
  kind: 'reword' | 'replace' | 'delete' | 'add' | 'double';
  at: number;
  key: string;
  value: unknown;
};
export const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('reword', 'reword', 'reword', 'reword', 'replace', 'delete', 'add', 'double'),
  at: fc.nat(),
  key: nastyText,
  value: nastyValue,
});

export function mutated(
  document: Record<string, unknown>,
  { kind, at, key, value }: Mutation,
): Record<string, unknown> {
  const copy = structuredClone(document);
  const places =
    kind === 'reword'
      ? placesIn(copy).filter((place) => typeof valueAt(copy, place) === 'string')
      : placesIn(copy);
  if (places.length === 0) return copy;
  const place = places[at % places.length]!;
  const last = place.at(-1)!;
  const parent = valueAt(copy, place.slice(0, -1)) as Record<string, unknown>;
  if (kind === 'delete') delete parent[last];
  else if (kind === 'reword') parent[last] = key;
  else if (kind === 'replace') parent[last] = value;
  else if (kind === 'double') parent[last] = [parent[last], parent[last]];
  else Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

const routers: Record<string, Router> = contract;
/** Routes for customers' pages; the dashboard has a test of its own. */
export const routes = Object.values(routers)
  .flatMap((router) => Object.values(router))
  .filter(({ metadata }) => !metadata.firstParty && metadata.credential !== 'api-key');

export type HostileRequest = {
  method: string;
  path: string;
  route: Route | undefined;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** Which token is sent. */
  token: 'valid' | 'truncated' | 'malformed' | 'none';
  visitor: number;
};

export const VISITORS = 25;
/** Placeholders that each request replaces with current values when it is sent. */
export const OWN_ID = 'vis_placeholder';

const validBodies: Record<string, Record<string, unknown>> = {
  createHandover: {
    message: 'My parcel is lost.',
    email: 'ada@shop.example',
    url: `${ORIGIN}/`,
    locale: 'en',
    shown_seconds: 20,
  },
  bootGuide: {
    app_id: 'gp_placeholder',
    origin: ORIGIN,
    path: '/a?b',
    visitor_id: OWN_ID,
    gpc: false,
    user_agent_hint: 'x',
  },
  sendMessage: question({
    viewport: { width: 1, height: 1, dpr: 1 },
    document: { width: 1, height: 1 },
    scroll_pos: 0,
    capture_context: {
      page: { title: 't', url: ORIGIN },
      viewport: { width: 1, height: 1, dpr: 1 },
      scroll: { x: 0, y: 0 },
      selected_text: 's',
      focused_target: { gp_id: 'f' },
      targets: [{ gp_id: 'a', name: 'Password', document_bbox: { x: 0, y: 0, width: 1, height: 1 } }],
    },
    viewport_screenshot: { data: '/9j/2Q==', mime: 'image/jpeg', width: 1, height: 1 },
    action_results: [{ action_id: 'a1', outcome: 'done' }],
  }),
  rateMessage: { message_id: 'msg_01kakv2fxse7wtg6x5r0h8rjbm', rating: 'up', comment: 'c' },
  recordConsent: {
    visitor_id: OWN_ID,
    url: `${ORIGIN}/`,
    copy_version: '1',
    at: 1_795_000_000_000,
    decision: 'accepted',
    mode: 'opt_in',
    gpc: false,
    policy_version: '1',
    region: { country_code: 'DE', region_code: 'DE-BE' },
    override_source: 'runtime',
  },
  speakText: { text: 'Hello.', voice_id: 'a', provider: 'auto' },
  reportVoiceUsage: { token: 'unknown', elapsed_seconds: 5 },
};

const FORM = formOf('audio', waveFile(0x0808).toString('latin1'));

function bodyFor(route: Route | undefined): fc.Arbitrary<Buffer | undefined> {
  const document = validBodies[route?.metadata.operationId ?? ''];
  const random = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.json({ maxDepth: 5 }).map((text) => Buffer.from(text)),
    nastyText.map((text) => Buffer.from(text)),
  );
  if (route?.metadata.upload) return fc.oneof(random, fc.constant(Buffer.from(FORM)), withInsertion(FORM));
  if (!document) return fc.option(random, { nil: undefined, freq: 2 });
  const text = JSON.stringify(document);
  return fc.oneof(
    { weight: 2, arbitrary: random },
    { weight: 3, arbitrary: fc.constant(Buffer.from(text)) },
    {
      weight: 7,
      arbitrary: fc
        .array(mutation, { minLength: 1, maxLength: 2 })
        .map((mutations) => Buffer.from(JSON.stringify(mutations.reduce(mutated, document)))),
    },
    { weight: 2, arbitrary: withInsertion(text) },
  );
}

/** The text with something inserted at a random position. */
function withInsertion(text: string): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.nat(text.length), fc.nat(5), nastyText)
    .map(([at, cut, put]) => Buffer.from(text.slice(0, at) + put + text.slice(at + cut)));
}

/** Characters that a header may contain. */
const headerText = fc
  .string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 60,
  })
  .map((text) => text.trim());
const headerNames = [
  'accept',
  'accept-encoding',
  'accept-language',
  'cookie',
  'content-encoding',
  'cf-ipcountry',
  'cf-region-code',
  'forwarded',
  'idempotency-key',
  'last-event-id',
  'origin',
  'range',
  'sec-gpc',
  'user-agent',
  'via',
  'x-api-key',
  'x-http-method-override',
  'x-request-id',
];
const languages = fc
  .array(
    fc.tuple(
      fc.constantFrom('de', 'pt-BR', 'zh-Hant-TW', '*', 'x-klingon', 'i-default', 'aaaaaaaaaa', ''),
      fc.constantFrom('', ';q=0.5', ';q=2', ';q=', ';Q=1'),
    ),
    { maxLength: 60 },
  )
  .map((ranges) => ranges.map((range) => range.join('')).join(','));
const header = (name: string, value: fc.Arbitrary<string>) => fc.tuple(fc.constant(name), value);
const headers = fc
  .array(
    fc.oneof(
      fc.tuple(fc.constantFrom(...headerNames), headerText),
      header('accept-language', languages),
      header('idempotency-key', fc.constantFrom('one', 'two', 'a b', 'x'.repeat(200))),
      header(
        'last-event-id',
        fc.constantFrom('msg_1:2', ':', 'msg_01kakv2fxse7wtg6x5r0h8rjbm:99999999', '1'),
      ),
      header('sec-gpc', fc.constantFrom('1', '0', '1, 0')),
      header(
        'content-type',
        fc.constantFrom('text/plain', 'application/json; charset=x', 'multipart/form-data; boundary=x'),
      ),
      header(
        'origin',
        fc.constantFrom(
          'null',
          'https://evil.example',
          'https://a.shop.example.com',
          `${ORIGIN}:443`,
          ORIGIN,
        ),
      ),
    ),
    { maxLength: 3 },
  )
  .map((pairs) => Object.fromEntries(pairs) as Record<string, string>);

const pathSegment = fc
  .oneof(
    fc.constant('art_01kakv2fxse7wtg6x5r0h8rjbm'),
    fc.constantFrom('conv-of-a-test', '%00', '%ff', '%E0%A4%A', '..%2f..', 'a'.repeat(2000), '%F0%9F%92%A5'),
    fc.webSegment(),
  )
  // Dots alone would lead to another path.
  .map((segment) => (/^\.*$/.test(segment) ? 'x' : segment));

/** Without the reserved characters, which the validator of the document refuses even if they are encoded. */
const encode = (text: string) => encodeURIComponent(text.replace(/[:/?#[\]@!$&'()*+,;=]/g, ''));
/** The words of a search, the only query of a public route. */
const search = fc
  .oneof(fc.constantFrom('order', '%00', '%ff', 'a&q=b', '', 'a'.repeat(2000)), fc.string().map(encode))
  .map((text) => `?q=${text}`);

function mediaTypeOf(route: Route | undefined): string {
  return route?.metadata.upload ? `multipart/form-data; boundary=${BOUNDARY}` : 'application/json';
}

export function requestFor(route: Route | undefined): fc.Arbitrary<HostileRequest> {
  const path = route
    ? fc
        .tuple(pathSegment, route.path.endsWith('/search') ? search : fc.constant(''))
        .map(([segment, query]) => route.path.replace(/:\w+/, () => segment) + query)
    : fc.oneof(
        fc.constantFrom(
          '/healthz',
          '/readyz',
          '/metrics',
          '/openapi.json',
          '/docs',
          '/.well-known/gpc.json',
          '/',
          '/demo',
        ),
        fc.webPath(),
      );
  return fc
    .record({
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constant(route?.method ?? 'GET') },
        {
          weight: 1,
          arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'),
        },
      ),
      path,
      query: fc.oneof(
        { weight: 12, arbitrary: fc.constant('') },
        fc.webQueryParameters().map((text) => `?${text}`),
        fc.constantFrom('?__proto__[a]=1', '?a[]=1', '?%', '?&&&'),
      ),
      headers,
      typed: fc.integer({ min: 0, max: 19 }).map((n) => n > 0),
      body: bodyFor(route),
      token: fc.oneof(
        { weight: 9, arbitrary: fc.constant('valid') },
        fc.constantFrom('truncated', 'malformed', 'none'),
      ),
      visitor: fc.nat(VISITORS - 1),
      proxies: fc.oneof(
        fc.ipV4(),
        fc.ipV6(),
        fc.tuple(headerText, fc.ipV4()).map((pair) => pair.join(', ')),
        headerText,
      ),
    })
    .map(({ method, path, query, headers, typed, body, proxies, ...rest }) => ({
      ...rest,
      // Another method may be that of another route.
      route: routes.find((other) => other.path === route?.path && other.method === method) ?? route,
      method,
      path: path.includes('?') ? path + query.replace('?', '&') : path + query,
      body: method === 'GET' || method === 'HEAD' ? undefined : body,
      headers: {
        origin: ORIGIN,
        'user-agent': 'Mozilla/5.0 Firefox/140.0',
        ...(typed ? { 'content-type': mediaTypeOf(route) } : {}),
        'x-forwarded-for': proxies,
        ...headers,
      },
    })) as fc.Arbitrary<HostileRequest>;
}
