/**
 * Which folders may import which, type-only imports included; `make check` runs it.
 * `allow(name, comment, from, …to)`: files in `from` import only `to`. `only(name, comment, to, …from)`: only `from` may import `to`.
 */

const SHARED_CONTRACT = '^contract/(errors|fields|limits/[a-z-]+|path-rules)\\.ts$';
/** Small modules without input or output that the whole server builds on. */
const BASE = '^server/base/';
/** The repositories, and the interface to an engine. */
const STORAGE = '^server/storage/([^/]+|schema/[^/]+)\\.ts$';
const PORTS = [
  STORAGE,
  '^server/engine/engine\\.ts$',
  '^server/speech/speech\\.ts$',
  '^server/coordination/coordination\\.ts$',
  '^server/telemetry/telemetry\\.ts$',
];
const NODE = '^node:|^[a-z_]+(/(promises|consumers))?$';

/** The contract files and libraries of each resource, and the neighbours that it needs. */
const RESOURCES = {
  accounts: {
    contract: [
      'session',
      'identity-providers',
      'second-factors',
      'sign-in-factors',
      'password-resets',
      'email-changes',
      'automation-sessions',
      'workspace',
      'members',
      'api-keys',
      'route',
    ],
    packages: [
      '@simplewebauthn/server',
      '@zxcvbn-ts/[^/]+',
      'hash-wasm',
      'openid-client',
      'p-limit',
      'undici',
      'zod',
    ],
    neighbours: [
      'server/workspaces/',
      // What happens to an account or a domain is mailed.
      'server/people/(compose-mail|workspace-notices).ts',
      // Identity providers of workspaces are at public addresses.
      'server/sources/public-addresses.ts',
      'server/sources/website/fetch.ts',
      'server/settings/oidc.ts',
      // The domains of providers are looked at every day.
      'server/knowledge/background-job.ts',
    ],
  },
  chat: {
    contract: ['chat', 'chat-event', 'preview'],
    // A turn answers from retrieved passages, under what the visitor agreed to.
    neighbours: ['server/knowledge/', 'server/visitors/consent/', 'server/sanitize/', 'server/workspaces/'],
  },
  // The demo imports its articles as an operator would.
  demo: { neighbours: ['server/knowledge/'], packages: ['zod'] },
  // The published articles as public pages.
  help: {
    contract: ['help-centre', 'help-domains'],
    packages: ['undici'],
    // Pages show what the guide shows, in its formatting, to readers of whom nothing is known.
    neighbours: [
      'client/text-(blocks|tree).ts',
      'server/knowledge/',
      // A lost domain is mailed.
      'server/people/(compose-mail|workspace-notices).ts',
      'server/sanitize/',
      'server/settings/help.ts',
      // Files that prove domains are at public addresses.
      'server/sources/public-addresses.ts',
      'server/sources/website/fetch.ts',
      'server/visitors/allowed-origin.ts',
      'server/visitors/consent/',
      'server/visitors/user-agent.ts',
      'server/workspaces/',
    ],
  },
  insights: {
    contract: [
      'analytics',
      'answer-tests',
      'chat',
      'chat-event',
      'consent',
      'conversation-notes',
      'export',
      'export-events',
      'inbox',
    ],
    packages: ['csv-stringify', 'zod'],
    // Whether a question was answered is decided in one place. Questions are compared by search results, and asked again as in a
    // preview. A full workspace accepts no more tests.
    neighbours: ['server/chat/', 'server/visitors/consent/', 'server/knowledge/', 'server/workspaces/'],
  },
  knowledge: {
    contract: [
      'article-fields',
      'articles',
      'bulk-articles',
      'find-text',
      'collections',
      'help-articles',
      'images',
      'translations',
      'review-queue',
    ],
    packages: ['image-size', 'language-subtag-registry', 'smol-toml', 'undici', 'yaml', 'zod'],
    // The embedding model is a package of its own. A full workspace accepts no more texts.
    neighbours: ['model/index.ts', 'server/settings/model.ts', 'server/sanitize/', 'server/workspaces/'],
  },
  mcp: {
    contract: ['mcp', 'chat-event'],
    packages: ['@modelcontextprotocol/server', 'zod'],
    // Agents find what visitors find.
    neighbours: ['server/knowledge/', 'server/sanitize/'],
  },
  // Webhooks, mail, handovers and known customers.
  people: {
    contract: [
      'webhooks',
      'webhook-events',
      'handovers',
      'customers',
      'customer-attributes',
      'article-fields',
      'digest',
    ],
    packages: ['hast-util-[a-z-]+', 'jose', 'nodemailer', 'p-limit', 'standardwebhooks', 'undici', 'zod'],
    neighbours: [
      // Changes are in the audit log.
      'server/workspaces/',
      'server/knowledge/background-job.ts',
      'server/settings/mail.ts',
      // Customers are visitors, whose keys may be read from public addresses.
      'server/visitors/visitor.ts',
      'server/sources/public-addresses.ts',
      'server/sources/website/fetch.ts',
      'languages/mail/',
      // A model summarizes what is sent to a person.
      'server/engine/engine.ts',
      'server/sanitize/page-text.ts',
      // Notes on handovers are notes like those on conversations.
      'server/insights/conversation-notes.ts',
    ],
  },
  sources: {
    contract: ['sources', 'source-[a-z]+', 'site-checks'],
    packages: [
      '@notionhq/client',
      'csv-parse',
      '@types/mdast',
      'chardet',
      'iconv-lite',
      'mammoth',
      'sax',
      'yaml',
      'p-limit',
      'robots-parser',
      'undici',
      'unpdf',
      'yauzl',
      '@types/hast',
      'hast-util-[a-z-]+',
      'mdast-util-[a-z-]+',
      'micromark[a-z-]*',
      'zod',
    ],
    // Runs change articles as members do, under the same limits. Pages do not always state their language.
    neighbours: [
      'server/knowledge/',
      'server/workspaces/',
      'server/sanitize/',
      'server/visitors/allowed-origin.ts',
      'server/chat/intent/detect-language.ts',
    ],
  },
  transfer: {
    contract: ['archive[a-z-]*'],
    packages: ['drizzle-orm', 'zod'],
    // An imported archive is checked and indexed like any import.
    neighbours: ['server/knowledge/', 'server/visitors/allowed-origin.ts', 'server/visitors/consent/'],
  },
  visitors: {
    contract: ['boot', 'consent', 'consent-policy-preview', 'visitor'],
    packages: ['ipaddr.js', 'isbot', 'mmdb-lib', 'tldts'],
    // A visitor may be a known customer.
    neighbours: ['server/people/user-token.ts'],
  },
  voice: {
    contract: ['voice'],
    packages: ['music-metadata'],
    // Events follow the visitor's consent.
    neighbours: ['server/visitors/consent/'],
  },
  workspaces: {
    contract: ['workspace', 'model'],
    // Settings are stored in the canonical form that boot, consent and retrieval use.
    neighbours: ['server/visitors/'],
  },
};

const packages = (...names) => names.map((name) => `node_modules/${name.replaceAll('.', '\\.')}/`);
const allow = (name, comment, from, ...to) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { pathNot: [NODE, ...to.flat()] },
});
const only = (name, comment, to, ...from) => ({
  name,
  comment,
  severity: 'error',
  from: { pathNot: from },
  to: { path: to },
});

const resourceRules = Object.entries(RESOURCES).map(([resource, own]) =>
  allow(
    `server/${resource}`,
    'A resource imports its contract files, ports, tokens, http types, and the neighbours listed here.',
    `^server/${resource}/`,
    `^server/${resource}/`,
    (own.contract ?? []).map((name) => `^contract/${name}\\.ts$`),
    packages(...(own.packages ?? [])),
    (own.neighbours ?? []).map((path) => `^${path.replace('.', '\\.')}`),
    [SHARED_CONTRACT, BASE, ...PORTS, '^server/tokens/', '^server/http/'],
  ),
);

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Not even of types: move what both need into a third file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolved',
      comment: 'An import has to resolve, from the package.json of its own folder.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    allow(
      'contract',
      'The contract imports zod and itself.',
      '^contract/([^/]+|limits/[a-z-]+)\\.ts$',
      '^contract/([^/]+|limits/[a-z-]+)\\.ts$',
      packages('zod', '@ts-rest/core'),
    ),
    only(
      'contract/openapi',
      'scripts/openapi writes the document in development; the service derives others from it.',
      '^contract/openapi/',
      '^(contract|scripts)/openapi/',
      '^server/public/',
    ),
    allow(
      'model',
      'The package of the embedding model depends on nothing.',
      '^model/[^/]+\\.ts$',
      '^model/[^/]+\\.ts$',
    ),
    allow(
      'client/sdk',
      'The published client takes routes and types that derive from the contract, and no package.',
      '^client/sdk/',
      '^client/sdk/',
      '^generated/',
    ),
    allow(
      'client/react',
      'The React components build on the published client and React alone, and share how answers are formatted.',
      '^client/react/',
      '^client/react/',
      '^client/sdk/index\\.ts$',
      '^client/(consent-defaults|denial|handover|image-url|passage-url|text-blocks|text-tree)\\.ts$',
      packages('react', '@types/react'),
    ),
    {
      name: 'client-contract-types',
      comment:
        'The contract is zod schemas: only their types may reach a browser, and the files without packages.',
      severity: 'error',
      from: { path: '^client/' },
      to: {
        path: '^contract/',
        pathNot: '^contract/(limits/[a-z-]+|path-rules)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'client',
      comment: 'A browser runs nothing of the server.',
      severity: 'error',
      from: { path: '^client/' },
      to: { path: '^server/|node_modules/(zod|@ts-rest|express)/|^node:' },
    },
    allow(
      'server/http',
      'server/http imports the contract, tokens and port types; never a resource or an adapter.',
      '^server/http/',
      '^server/http/',
      '^contract/([^/]+|limits/[a-z-]+)\\.ts$',
      '^server/tokens/',
      BASE,
      PORTS,
      'node_modules/',
    ),
    {
      name: 'resource-http-types',
      comment:
        'A resource takes the types of server/http; the pipeline calls it, and not the other way round.',
      severity: 'error',
      from: { path: `^server/(${Object.keys(RESOURCES).join('|')})/`, pathNot: '^server/demo/' },
      to: {
        path: '^server/http/',
        pathNot: '^server/http/(cursor|errors|files|required-provider|resource-limits|visitor-request)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    ...resourceRules,
    allow(
      'server/sanitize',
      'Pure functions over text from outside.',
      '^server/sanitize/',
      '^server/sanitize/',
      packages('stdnum', 'tlds', 'validator'),
      '^contract/limits/',
      BASE,
    ),
    allow(
      'ports',
      "A port imports other ports' record types, the names of rate limits, and what is known of languages.",
      PORTS.slice(1).join('|'),
      ...PORTS,
      '^server/base/text\\.ts$',
      '^contract/limits/',
    ),
    allow(
      'coordination-adapter',
      'A coordination adapter imports its port, where limits are stored, and its driver.',
      '^server/coordination/(memory|redis)/',
      '^server/coordination/',
      PORTS,
      SHARED_CONTRACT,
      BASE,
      packages('rate-limiter-flexible', '@redis/client'),
    ),
    only(
      'coordination-openers',
      'Only dependencies.ts opens coordination, and the doctor examines it.',
      '^server/coordination/(memory|redis)/',
      '^server/coordination/',
      '^server/dependencies\\.ts$',
      '^server/cli/doctor\\.ts$',
    ),
    allow(
      'telemetry',
      'The telemetry adapter imports its port, its settings and its driver.',
      '^server/telemetry/',
      '^server/telemetry/',
      '^server/settings/telemetry\\.ts$',
      BASE,
      packages('@opentelemetry/[^/]+', 'prom-client'),
    ),
    only(
      'telemetry-opener',
      'Only dependencies.ts loads the telemetry adapter.',
      '^server/telemetry/(?!telemetry\\.ts)|node_modules/@opentelemetry/',
      '^server/telemetry/',
      '^server/dependencies\\.ts$',
    ),
    allow(
      'storage',
      'Storage imports its drivers and small modules. Settings and events for webhooks are stored as the contract states them.',
      '^server/storage/',
      '^server/storage/',
      '^contract/(workspace|webhook-events)\\.ts$',
      packages('better-sqlite3', 'drizzle-orm', 'pg'),
      BASE,
    ),
    allow(
      'engine',
      'An engine imports its port, its settings and its driver.',
      '^server/engine/',
      '^server/engine/',
      PORTS,
      '^server/settings/model\\.ts$',
      '^server/sanitize/',
      BASE,
      packages('eventsource-parser', 'undici'),
    ),
    allow(
      'speech',
      'A speech provider imports its port, its settings and the clock.',
      '^server/speech/',
      '^server/speech/',
      PORTS,
      '^server/settings/speech\\.ts$',
      '^server/sanitize/',
      BASE,
      packages('zod', 'undici'),
    ),
    only(
      'storage-openers',
      'Only app.ts and the commands open storage.',
      '^server/storage/(sqlite|postgres)/',
      '^server/storage/',
      '^server/app\\.ts$',
      '^server/(backup|cli)/',
    ),
    {
      name: 'repositories',
      comment: 'Resources take the types of repositories, and never make a store.',
      severity: 'error',
      from: { pathNot: '^server/storage/' },
      to: {
        path: '^server/storage/(?!availability|workspace-settings|inbox|migrations|move)[^/]+\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    only(
      'engine-openers',
      'Only dependencies.ts knows engines, the doctor tries the model, and `guidepost check` quotes.',
      '^server/engine/(?!engine\\.ts)',
      '^server/engine/',
      '^server/dependencies\\.ts$',
      '^server/cli/check\\.ts$',
      '^server/cli/doctor-providers\\.ts$',
    ),
    only(
      'speech-openers',
      'Only dependencies.ts knows speech providers, and the doctor tries them.',
      '^server/speech/(?!speech\\.ts)',
      '^server/speech/',
      '^server/dependencies\\.ts$',
      '^server/cli/doctor-providers\\.ts$',
    ),
    only(
      'ts-rest',
      'Two files of the product know ts-rest (docs/adr/0020-ts-rest.md).',
      'node_modules/@ts-rest/',
      '^contract/route\\.ts$',
      '^server/http/router\\.ts$',
    ),
    only(
      'drivers',
      'Database drivers stay in the storage adapters.',
      'node_modules/(better-sqlite3|drizzle-orm|pg)/',
      '^server/storage/',
      '^server/transfer/codec\\.ts$',
      '^scripts/write-migrations\\.ts$',
    ),
    only(
      'express',
      'Only server/http and routes.ts know Express.',
      'node_modules/express/',
      '^server/http/',
      '^server/routes\\.ts$',
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.css$|^virtual:icons$' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
