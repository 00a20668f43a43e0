import type { ZodOpenApiComponentsObject } from 'zod-openapi';
import { isCorsEnabled, type Route } from '../route.ts';

type Headers = Record<string, { readonly $ref: string }>;

/** Every header that the document names, by the name of its component. */
const HEADERS = {
  AccessControlAllowOrigin: {
    description: 'The page that asked, where its workspace allows it and the operation is for pages at all.',
    schema: { type: 'string', format: 'uri', maxLength: 4096 },
    example: 'https://shop.example.com',
  },
  ContentLanguage: {
    description: 'The language that most of the answer is in.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9-]+$', minLength: 2, maxLength: 64 },
    example: 'de',
  },
  Deprecation: {
    description: 'Since when this operation is deprecated, as @ and seconds since 1970 (RFC 9745).',
    required: true,
    schema: { type: 'string', pattern: '^@[0-9]+$', maxLength: 32 },
    example: '@1767225600',
  },
  Link: {
    description: 'Where it is said what to use instead, as a link with the relation `deprecation`.',
    required: true,
    schema: { type: 'string', pattern: '^<[!-~]+>; rel="deprecation"; type="text/html"$', maxLength: 2048 },
    example: '<https://www.example.com/>; rel="deprecation"; type="text/html"',
  },
  RateLimit: {
    description:
      'What is left of each bucket that this request drew from: `r` requests for the next `t` seconds ' +
      '(draft-ietf-httpapi-ratelimit-headers). Absent when the request was refused before it was counted; ' +
      'buckets of a whole workspace are never listed. Where Retry-After says otherwise, it is right.',
    schema: { type: 'string', pattern: '^"[!-~ ]+$', maxLength: 512 },
    example: '"chat/visitor-burst";r=29;t=60, "chat/visitor-hour";r=99;t=3600',
  },
  RateLimitPolicy: {
    description: 'The numbers of the buckets in RateLimit: `q` requests in a window of `w` seconds.',
    schema: { type: 'string', pattern: '^"[!-~ ]+$', maxLength: 512 },
    example: '"chat/visitor-burst";q=30;w=60, "chat/visitor-hour";q=100;w=3600',
  },
  RetryAfter: {
    description: 'Whole seconds to wait before trying again.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 2_678_400 },
    example: 60,
  },
  Sunset: {
    description: 'When this operation may be gone, as an HTTP date (RFC 8594).',
    required: true,
    schema: { type: 'string', pattern: '^[A-Z][a-z]{2}, [ -~]+ GMT$', maxLength: 32 },
    example: 'Thu, 01 Jan 2026 00:00:00 GMT',
  },
  XRequestId: {
    description: 'Names this request in the logs of the service.',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9a-z]+$', maxLength: 64 },
    example: 'req_01kakv2fxse7wtg6x5r0h8rjbm',
  },
  XServiceTtsProvider: {
    description: 'Who speaks: provider_a, provider_b, provider_c or mock.',
    required: true,
    schema: { type: 'string', pattern: '^[a-z_]+$', maxLength: 32 },
    example: 'provider_c',
  },
  XSyntheticMedia: {
    description: 'What made the audio, as the IPTC term for media from a trained algorithm.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z]+$', maxLength: 64 },
    example: 'trainedAlgorithmicMedia',
  },
} satisfies NonNullable<ZodOpenApiComponentsObject['headers']>;

const NAMES_ON_THE_WIRE: Readonly<Partial<Record<keyof typeof HEADERS, string>>> = {
  AccessControlAllowOrigin: 'Access-Control-Allow-Origin',
  ContentLanguage: 'Content-Language',
  RateLimitPolicy: 'RateLimit-Policy',
  RetryAfter: 'Retry-After',
  XRequestId: 'x-request-id',
  XServiceTtsProvider: 'x-service-tts-provider',
  XSyntheticMedia: 'x-synthetic-media',
};

/** The headers of the good answers of a route. */
export function successHeaders(route: Route): Headers {
  const { streams, audio, deprecated, limits, limitsWithoutCredential } = route.metadata;
  return {
    ...referencesTo('XRequestId'),
    ...(limits.length + limitsWithoutCredential.length > 0 && referencesTo('RateLimit', 'RateLimitPolicy')),
    ...(isCorsEnabled(route) && referencesTo('AccessControlAllowOrigin')),
    ...(streams && referencesTo('ContentLanguage')),
    ...(audio && referencesTo('XServiceTtsProvider', 'XSyntheticMedia')),
    ...(deprecated && referencesTo('Deprecation', 'Sunset', 'Link')),
  };
}

/** The headers of a refusal, which routes of every kind share. */
export function refusalHeaders(tellsWait: boolean): Headers {
  return {
    ...referencesTo('XRequestId', 'RateLimit', 'RateLimitPolicy', 'AccessControlAllowOrigin'),
    ...(tellsWait && referencesTo('RetryAfter')),
  };
}

/** The components for the headers that these routes answer with. */
export function headersOf(routes: readonly Route[]): NonNullable<ZodOpenApiComponentsObject['headers']> {
  const used = [refusalHeaders(true), ...routes.map(successHeaders)].flatMap(Object.values);
  const references = new Set(used.map(({ $ref }) => $ref));
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => references.has(referenceTo(name))));
}

function referencesTo(...names: readonly (keyof typeof HEADERS)[]): Headers {
  return Object.fromEntries(
    names.map((name) => [NAMES_ON_THE_WIRE[name] ?? name, { $ref: referenceTo(name) }]),
  );
}

function referenceTo(name: string): string {
  return `#/components/headers/${name}`;
}
