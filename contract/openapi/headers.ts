import type { ZodOpenApiComponentsObject } from 'zod-openapi';
import { isCorsEnabled, type Route } from '../route.ts';

type Headers = Record<string, { readonly $ref: string }>;

/** Header components by name. */
const HEADERS = {
  AccessControlAllowOrigin: {
    description:
      'The origin of the requesting page. Present if the workspace allows that origin and the operation accepts requests from other origins.',
    schema: { type: 'string', format: 'uri', maxLength: 4096 },
    example: 'https://shop.example.com',
  },
  ContentLanguage: {
    description: 'The main language of the answer.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9-]+$', minLength: 2, maxLength: 64 },
    example: 'de',
  },
  RateLimit: {
    description:
      'What is left of each rate limit that this request consumed from: `r` requests for the next `t` seconds ' +
      '(draft-ietf-httpapi-ratelimit-headers). Absent when the request was rejected before it was counted. ' +
      'Limits of a whole workspace are never listed. `Retry-After` takes precedence.',
    schema: { type: 'string', pattern: '^"[!-~ ]+$', maxLength: 512 },
    example: '"chat/visitor-burst";r=29;t=60, "chat/visitor-hour";r=99;t=3600',
  },
  RateLimitPolicy: {
    description: 'The rate limits listed in `RateLimit`: `q` requests in a window of `w` seconds.',
    schema: { type: 'string', pattern: '^"[!-~ ]+$', maxLength: 512 },
    example: '"chat/visitor-burst";q=30;w=60, "chat/visitor-hour";q=100;w=3600',
  },
  RetryAfter: {
    description: 'Seconds to wait before retrying.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 2_678_400 },
    example: 60,
  },
  XRequestId: {
    description: 'Id of the request in the server logs.',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9a-z]+$', maxLength: 64 },
    example: 'req_01kakv2fxse7wtg6x5r0h8rjbm',
  },
  XServiceTtsProvider: {
    description: 'The speech provider: `provider_a`, `provider_b`, `provider_c` or `mock`.',
    required: true,
    schema: { type: 'string', pattern: '^[a-z_]+$', maxLength: 32 },
    example: 'provider_c',
  },
  XSyntheticMedia: {
    description: 'The IPTC digital source type of the audio.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z]+$', maxLength: 64 },
    example: 'trainedAlgorithmicMedia',
  },
} satisfies NonNullable<ZodOpenApiComponentsObject['headers']>;

const WIRE_NAMES: Readonly<Partial<Record<keyof typeof HEADERS, string>>> = {
  AccessControlAllowOrigin: 'Access-Control-Allow-Origin',
  ContentLanguage: 'Content-Language',
  RateLimitPolicy: 'RateLimit-Policy',
  RetryAfter: 'Retry-After',
  XRequestId: 'x-request-id',
  XServiceTtsProvider: 'x-service-tts-provider',
  XSyntheticMedia: 'x-synthetic-media',
};

/** The headers of a route's success responses. */
export function listSuccessHeaders(route: Route): Headers {
  const { streams, audio, limits, limitsWithoutCredential } = route.metadata;
  return {
    ...refer('XRequestId'),
    ...(limits.length + limitsWithoutCredential.length > 0 && refer('RateLimit', 'RateLimitPolicy')),
    ...(isCorsEnabled(route) && refer('AccessControlAllowOrigin')),
    ...(streams && refer('ContentLanguage')),
    ...(audio && refer('XServiceTtsProvider', 'XSyntheticMedia')),
  };
}

/** The headers of error responses. */
export function listErrorHeaders(hasRetryAfter: boolean): Headers {
  return {
    ...refer('XRequestId', 'RateLimit', 'RateLimitPolicy', 'AccessControlAllowOrigin'),
    ...(hasRetryAfter && refer('RetryAfter')),
  };
}

/** The header components that these routes use. */
export function describeHeaders(
  routes: readonly Route[],
): NonNullable<ZodOpenApiComponentsObject['headers']> {
  const used = [listErrorHeaders(true), ...routes.map(listSuccessHeaders)].flatMap(Object.values);
  const references = new Set(used.map(({ $ref }) => $ref));
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => references.has(toReference(name))));
}

function refer(...names: readonly (keyof typeof HEADERS)[]): Headers {
  return Object.fromEntries(names.map((name) => [WIRE_NAMES[name] ?? name, { $ref: toReference(name) }]));
}

function toReference(name: string): string {
  return `#/components/headers/${name}`;
}
