/**
 * Who may import whom. A room holds the files that match `holds`; the first room that matches is a file's own.
 * `may` lists what its files import beside each other: a folder ends with a slash, a file is named whole, a package
 * begins with `npm:`; `type ` before either means that only types may be taken. Anything that is not listed is
 * forbidden, and `rule` is what the failing test says.
 */
export type Room = {
  readonly name: string;
  readonly holds: RegExp;
  readonly may: readonly string[];
  readonly rule: string;
};

/** What every room of the server stands on: no I/O of a feature, no front door. */
const GROUND = [
  'server/refuse.ts',
  'server/clock.ts',
  'server/ids.ts',
  'server/cache.ts',
  'server/characters.ts',
  'server/cursor.ts',
  'server/month.ts',
  'server/system-error.ts',
  'type server/log.ts',
];
const PORTS = ['storage:port', 'server/engine/engine.ts', 'server/speech/speech.ts'];
const SHARED_CONTRACT = ['contract/limits.ts', 'contract/fields.ts', 'contract/refusals.ts'];

/** What a feature may import of another one, each with the reason that the design or the code gives. */
const NAMED_EDGES: Readonly<Record<string, readonly string[]>> = {
  // An archive that comes in is checked like an import, its evidence is verified, its articles are indexed.
  archive: ['server/knowledge/', 'server/consent/evidence.ts'],
  // The boot reply carries the consent directive, and picks the language of its texts.
  boot: ['server/consent/', 'server/knowledge/locale.ts'],
  // A turn answers from retrieved passages, under what the visitor agreed to.
  chat: ['server/knowledge/', 'server/consent/', 'server/untrusted/'],
  // What others wrote is cleaned when it comes in, since it is quoted verbatim.
  knowledge: ['server/untrusted/'],
  // The demo workspace imports articles as an operator would, and serves its page.
  demo: ['server/knowledge/', 'server/http/files.ts'],
  // Settings have the canonical form that boot and retrieval compare with; audit details are shown as the one text of their value; names
  // are what can be seen of them.
  dashboard: [
    'server/untrusted/visible-text.ts',
    'server/boot/allowed-origin.ts',
    'server/knowledge/locale.ts',
    'server/consent/canonical-json.ts',
    'server/consent/region.ts',
  ],
  // An answered question is the same to the figures and to the list; who refused is not counted.
  insight: ['server/chat/counting.ts', 'server/chat/citation-record.ts', 'server/consent/purposes.ts'],
  // Figures and sources are the same to the dashboard and to an export.
  export: ['server/insight/', 'server/chat/citation-record.ts'],
  // Event rows follow what the visitor agreed to; a provider is told which language is likely spoken.
  voice: ['server/consent/', 'server/knowledge/locale.ts'],
};

/** The contract files of a feature, and the packages that its rules are made of. */
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  archive: ['contract/archive.ts', 'contract/archive-line.ts'],
  boot: ['contract/boot.ts', 'contract/installation.ts', 'npm:isbot'],
  chat: ['contract/chat.ts', 'contract/chat-event.ts', 'contract/capture.ts', 'contract/preview.ts'],
  consent: ['contract/consent.ts', 'contract/directives.ts', 'npm:mmdb-lib', 'npm:ipaddr.js'],
  dashboard: [
    'contract/session.ts',
    'npm:@zxcvbn-ts/language-common',
    'contract/workspace.ts',
    'contract/audit.ts',
    'contract/members.ts',
    'contract/api-keys.ts',
  ],
  demo: ['npm:zod'],
  export: [
    'contract/export.ts',
    'contract/export-events.ts',
    'contract/export-talks.ts',
    'npm:csv-stringify',
    'npm:zod',
  ],
  insight: ['contract/insight.ts', 'contract/analytics.ts', 'contract/chat-event.ts', 'contract/consent.ts'],
  knowledge: [
    'contract/articles.ts',
    'contract/article-record.ts',
    'contract/translations.ts',
    'contract/translation-record.ts',
    'contract/queue.ts',
    'npm:yaml',
    'npm:zod',
  ],
  visitor: ['contract/visitor.ts'],
  voice: ['contract/voice.ts', 'npm:music-metadata'],
};

const featureRooms: readonly Room[] = Object.entries(FEATURES).map(([feature, own]) => ({
  name: `server/${feature}`,
  holds: new RegExp(`^server/${feature}/`),
  may: [
    ...own,
    ...SHARED_CONTRACT,
    ...GROUND,
    ...PORTS,
    'server/tokens/',
    'type server/http/handler.ts',
    ...(NAMED_EDGES[feature] ?? []),
  ],
  rule:
    'A feature imports its contract file, refuse, clock, ids, tokens, ports and the types of http/handler.ts; another ' +
    'feature only over a named edge; never express, ts-rest, drizzle or an adapter.',
}));

/** The application of the dashboard; nothing of it reaches the published client. */
const WHAT_PAGES_ARE_MADE_OF = [
  'npm:react',
  'npm:react-dom',
  'npm:@mantine/core',
  'npm:@mantine/dates',
  'npm:@mantine/form',
  'npm:@mantine/hooks',
  'npm:@mantine/modals',
  'npm:@mantine/notifications',
  'npm:@tabler/icons-react',
  'npm:@tanstack/react-query',
  'npm:@tanstack/react-router',
  'npm:chart.js',
  'npm:dayjs',
  'npm:diff',
  'npm:react-markdown',
  'npm:use-intl',
];

export const ROOMS: readonly Room[] = [
  {
    name: 'contract/publish',
    holds: /^contract\/publish\//,
    may: [
      'contract/',
      'package.json',
      'npm:zod',
      'npm:zod-openapi',
      'npm:openapi3-ts',
      'npm:@apiture/openapi-down-convert',
      'npm:yaml',
    ],
    rule: 'contract/publish imports the contract and what documents are written with.',
  },
  {
    name: 'contract',
    holds: /^contract\//,
    may: ['npm:zod', 'npm:@ts-rest/core'],
    rule: 'contract/ imports zod and itself, and never contract/publish.',
  },
  {
    name: 'what builds the bundles',
    holds: /^(server\/build|client\/(embed\/build|dashboard\/build|pack))\.ts$/,
    may: ['npm:rolldown', 'npm:vite'],
    rule: 'A build script imports bundlers and other build scripts; what it bundles it names by its path.',
  },
  {
    name: 'client/embed',
    holds: /^client\/embed\//,
    may: ['client/', 'generated/routes.ts', 'type generated/types.ts', 'type contract/'],
    rule: 'client/embed imports the client, and routes and types of the contract; never zod or ts-rest at run time.',
  },
  {
    name: 'client/dashboard',
    holds: /^client\/dashboard\//,
    may: ['client/', 'type contract/', ...WHAT_PAGES_ARE_MADE_OF],
    rule:
      'client/dashboard imports the client, types of the contract, and the few libraries that its pages are made of; ' +
      'never zod or ts-rest at run time.',
  },
  {
    name: 'client',
    holds: /^client\//,
    may: ['generated/routes.ts', 'type generated/types.ts'],
    rule: 'client/ takes types and routes that were generated from the contract; it needs no package, not even for its types.',
  },
  { name: 'generated', holds: /^generated\//, may: [], rule: 'generated/ imports nothing.' },
  {
    name: 'server/http',
    holds: /^server\/http\//,
    may: [
      'contract/route.ts',
      ...SHARED_CONTRACT,
      ...GROUND,
      'server/log.ts',
      'server/tokens/',
      ...PORTS,
      'npm:@ts-rest/express',
      'npm:ipaddr.js',
      'npm:@fastify/busboy',
      'npm:express',
      'npm:prom-client',
      'npm:proxy-addr',
      'npm:rate-limiter-flexible',
      'npm:zod',
    ],
    rule: 'server/http imports contract, tokens, refuse, log, clock and port types; never a feature or an adapter.',
  },
  {
    name: 'server/tokens',
    holds: /^server\/tokens\//,
    may: [...SHARED_CONTRACT, ...GROUND, 'npm:jose', 'npm:typeid-js', 'npm:zod'],
    rule: 'server/tokens imports clock, ids, published limits, and what tokens are made with.',
  },
  ...featureRooms,
  {
    name: 'server/untrusted',
    holds: /^server\/untrusted\//,
    may: ['contract/limits.ts'],
    rule: 'server/untrusted cleans what others wrote: pure rules over text, without any input, output or other room.',
  },
  {
    name: 'the storage port',
    holds: /^server\/storage\/[^/]+\.ts$/,
    may: [],
    rule: 'The storage port imports nothing but its own record types.',
  },
  {
    name: 'the engine port',
    holds: /^server\/engine\/engine\.ts$/,
    may: ['type storage:port'],
    rule: "A port imports other ports' record types and nothing else.",
  },
  {
    name: 'the speech port',
    holds: /^server\/speech\/speech\.ts$/,
    may: ['type storage:port'],
    rule: "A port imports other ports' record types and nothing else.",
  },
  {
    name: 'the SQLite adapter',
    holds: /^server\/storage\/sqlite\//,
    may: ['storage:port', 'npm:better-sqlite3', 'npm:drizzle-orm'],
    rule: 'An adapter imports its port and its driver; never contract, http, features or refuse.',
  },
  {
    name: 'an engine',
    holds: /^server\/engine\//,
    may: [
      'server/engine/engine.ts',
      'server/untrusted/fence.ts',
      'type server/llm-settings.ts',
      'npm:undici',
    ],
    rule: 'An engine imports its port, its settings and its driver; never contract, http, features, storage or refuse.',
  },
  {
    name: 'a speech provider',
    holds: /^server\/speech\//,
    may: ['server/speech/speech.ts', 'type server/speech-settings.ts', 'type server/clock.ts', 'npm:zod'],
    rule: 'A speech provider imports its port, its settings and the clock; never contract, http, features, storage or refuse.',
  },
  {
    name: 'server/cli',
    holds: /^server\/cli\//,
    may: [
      ...SHARED_CONTRACT,
      ...GROUND,
      ...PORTS,
      'server/config.ts',
      'server/main.ts',
      'server/log.ts',
      'server/tokens/',
      'server/archive/',
      'server/boot/',
      'server/consent/',
      'server/dashboard/',
      'server/demo/',
      'server/knowledge/',
      'server/storage/sqlite/',
      'npm:commander',
      'npm:zod',
    ],
    rule: 'A command imports config, ports, the rules of features and the way to open storage; never http.',
  },
  {
    name: 'server/service.ts',
    holds: /^server\/service\.ts$/,
    may: ['contract/', 'server/', 'npm:express', 'npm:proxy-addr', 'npm:prom-client'],
    rule: 'server/service.ts puts adapters and front doors together; drivers stay in their adapters.',
  },
  {
    name: 'server/tenant-doors.ts',
    holds: /^server\/tenant-doors\.ts$/,
    may: ['contract/', 'server/'],
    rule: 'server/tenant-doors.ts lists the front doors of the dashboard for service.ts; it knows no adapter.',
  },
  {
    name: 'server/public-files.ts',
    holds: /^server\/public-files\.ts$/,
    may: [
      'server/config.ts',
      'server/http/files.ts',
      'server/http/docs-page.ts',
      'server/http/dashboard-pages.ts',
      'server/consent/gpc.ts',
      'server/demo/',
    ],
    rule: 'server/public-files.ts lists what anybody may read, and knows the rooms that it comes from.',
  },
  {
    name: 'server/main.ts',
    holds: /^server\/main\.ts$/,
    may: [
      'server/config.ts',
      'server/service.ts',
      'server/log.ts',
      'server/clock.ts',
      'server/dashboard/setup.ts',
      'server/demo/',
    ],
    rule: 'server/main.ts reads the environment, opens the service, listens and drains.',
  },
  {
    name: 'the ground of the server',
    holds: /^server\/[a-z-]+\.ts$/,
    may: [...SHARED_CONTRACT, ...GROUND, 'npm:pino', 'npm:proxy-addr', 'npm:typeid-js', 'npm:zod'],
    rule: 'What every room stands on imports the published limits and refusals, and no room.',
  },
];

/** Places that alone may import something, whatever else their room allows. */
export const ONLY: readonly { readonly what: RegExp; readonly from: RegExp; readonly rule: string }[] = [
  {
    what: /^npm:@ts-rest\//,
    from: /^(contract\/route|server\/http\/(mount|handler))\.ts$/,
    rule: 'Only contract/route.ts, server/http/mount.ts and server/http/handler.ts import ts-rest.',
  },
  {
    what: /^npm:(drizzle-orm|better-sqlite3)$/,
    from: /^server\/storage\/sqlite\//,
    rule: 'Only server/storage/sqlite knows SQLite.',
  },
  {
    what: /^server\/storage\/sqlite\//,
    from: /^server\/(storage\/sqlite\/|service\.ts$|cli\/)/,
    rule: 'Only service.ts and the commands open the SQLite adapter.',
  },
  {
    what: /^server\/engine\/(?!engine\.ts$)/,
    from: /^server\/(engine\/|service\.ts$)/,
    rule: 'Only service.ts knows engines; everybody else knows the port.',
  },
  {
    what: /^server\/speech\/(?!speech\.ts$)/,
    from: /^server\/(speech\/|service\.ts$)/,
    rule: 'Only service.ts knows speech providers; everybody else knows the port.',
  },
  {
    what: /^npm:express$/,
    from: /^server\/(http\/|service\.ts$)/,
    rule: 'Only server/http and service.ts know express.',
  },
  {
    what: /^contract\/publish\//,
    from: /^contract\/publish\//,
    rule: 'contract/publish is for development and imported by nobody.',
  },
];
