import { join, resolve } from 'node:path';
import { compile } from 'proxy-addr';
import { z } from 'zod';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { identity, memoize } from '../base/cache.ts';
import { isLoopbackHost, LOOPBACK_NETWORKS, parseCidr } from '../base/network.ts';
import type { ProxySettings } from '../base/proxy.ts';
import { commaList } from './comma-list.ts';
import { type HelpDomains, helpSettings, parseHelpDomains } from './help.ts';
import { type MailSettings, mailSettings, parseMailSettings } from './mail.ts';
import {
  type EmbeddingsSettings,
  embeddingsSettings,
  type LlmSettings,
  llmSettings,
  type ModelLimits,
  parseEmbeddingsSettings,
  parseLlmSettings,
  toModelLimits,
} from './model.ts';
import { type OidcSettings, oidcSettings, parseOidcSettings } from './oidc.ts';
import { parseProxySettings, proxySettings } from './proxy.ts';
import { parseSpeechSettings, type SpeechSettings, speechSettings } from './speech.ts';
import { parseTelemetrySettings, type TelemetrySettings, telemetrySettings } from './telemetry.ts';

/** This file alone reads the environment. docs/configuration.md is generated from its settings. */

const onOff = (fallback: 'on' | 'off') => z.enum(['on', 'off']).default(fallback);

const postgresUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: 'expected an address that begins with postgres://' })
  .optional();

export const settings = z.object({
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(8787)
    .describe('Port to listen on. 0 picks a free port.'),
  HOST: z.string().min(1).default('127.0.0.1').describe('IP address to listen on.'),
  DATA_DIR: z.string().min(1).default('./data').describe('Folder of the database and the token keys.'),
  BACKUP_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder for backups of the SQLite database, best on another disk. Without it, only the backups before an upgrade are made, in ' +
        'the folder `backups` of DATA_DIR.',
    ),
  BACKUP_EVERY: z
    .string()
    .regex(/^[1-9]\d{0,3}[mhd]$/, 'expected a duration such as 30m, 6h or 1d')
    .default('1d')
    .describe(
      'How often to write a backup into BACKUP_DIR. Keeps those of the last day, the newest of each of seven days, and the newest ' +
        'of each of five weeks.',
    ),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'expected a URL that starts with http:// or https://' })
    .optional()
    .describe(
      'http or https URL under which browsers reach this server. Defaults to the address that it listens on.',
    ),
  GUIDEPOST_DEMO: onOff('on').describe(
    'Whether to create the demo workspace and its page on an empty database.',
  ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Minimum level of log lines.'),
  KILL_SWITCH: onOff('off').describe(
    '`on` turns the guide off: boot, chat and voice return 503, whatever `guidepost killswitch` has set.',
  ),
  ROLLOUT: commaList.describe('Comma-separated workspace ids or app ids to serve. Empty serves all.'),
  TRUSTED_PROXIES: commaList.describe(
    'Comma-separated addresses or CIDR ranges of proxies whose X-Forwarded-For and edge headers are trusted.',
  ),
  SOURCE_NETWORKS: commaList.describe(
    'Comma-separated addresses or CIDR ranges, such as an intranet, from which sources may read websites although they are ' +
      'not public. Empty: public addresses only; and those of this machine, `127.0.0.0/8,::1`, if HOST and PUBLIC_URL are such ' +
      'addresses and there are no TRUSTED_PROXIES.',
  ),
  LLM_NETWORKS: commaList.describe(
    "Comma-separated addresses or CIDR ranges, such as an intranet, in which workspaces' own models may be although they are not " +
      'public; there, over http too. Empty: public addresses over https only.',
  ),
  WEBHOOK_NETWORKS: commaList.describe(
    'Comma-separated addresses or CIDR ranges, such as an intranet, to which webhooks may send although they are not public; there, ' +
      'over http too. Empty: public addresses over https only.',
  ),
  EDGE_PROVIDER: z
    .enum(['cloudflare', 'vercel', 'cloudfront', 'fastly'])
    .optional()
    .describe('Provider whose region headers to read from a trusted proxy.'),
  GEOIP_DB: z
    .string()
    .min(1)
    .optional()
    .describe('Path of an .mmdb file that maps IP addresses to countries or regions.'),
  VISITOR_TOKEN_KEYS: commaList.describe(
    'Comma-separated signing keys of visitor tokens, newest first, each `kid:base64url` with at least 32 bytes. ' +
      'When empty, keys are generated and kept in DATA_DIR.',
  ),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'expected an address that begins with redis:// or rediss://' })
    .optional()
    .describe(
      'Redis (6.2 or later) or Valkey, `redis://…` or `rediss://…`, through which several nodes share rate limits, running answers and ' +
        'background jobs. It holds nothing that must survive.',
    ),
  GUIDEPOST_SECRET: commaList.describe(
    'At least 32 random bytes as text, the same on all nodes: encrypts the keys of visitors, which are then stored in the database ' +
      'instead of DATA_DIR. Comma-separated, newest first, to replace it.',
  ),
  DATABASE_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(1_048_576)
    .default(8_589_934_592)
    .describe(
      'Maximum size of the database in bytes. Writes fail beyond it; from nine tenths of it, no workspace may hold more than its ' +
        'part. Backups need the same space again.',
    ),
  WORKSPACE_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(1_048_576)
    .default(2_147_483_648)
    .describe(
      'Maximum storage of a workspace, in bytes. Beyond it, articles cannot be changed, events are not stored, and new conversations ' +
        'are deleted after a day.',
    ),
  DATABASE_WAIT_MILLIS: z.coerce
    .number()
    .int()
    .min(50)
    .max(60_000)
    .default(5_000)
    .describe('How long a write waits for another process that has locked the database, before it fails.'),
  SINGLE_NODE: onOff('off').describe(
    '`on` allows PostgreSQL without Redis, for a service that never has a second node.',
  ),
  DATABASE_URL: postgresUrl.describe(
    'PostgreSQL 14 or later, as `postgres://role@host:5432/name`, for several nodes. Without it, the database is a file in DATA_DIR.',
  ),
  DATABASE_OWNER_URL: postgresUrl.describe(
    'The same database, with the role that owns the tables and migrates them. Without it, the role of DATABASE_URL does both.',
  ),
  DATABASE_READ_URL: postgresUrl.describe(
    'A replica of the database, which answers exports and analytics while it can be reached.',
  ),
  DATABASE_POOL_MAX: z.coerce
    .number()
    .int()
    .min(2)
    .max(1_000)
    .default(20)
    .describe('Maximum number of connections of this process to PostgreSQL, those to a replica apart.'),
  DATABASE_POOLER: z
    .enum(['direct', 'transaction'])
    .default('direct')
    .describe('`transaction` if a pooler such as PgBouncer may give every transaction another connection.'),
  STREAMS_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(1000)
    .describe(
      'Maximum number of concurrent answer streams in this process. One workspace may hold four fifths of it, one network a half.',
    ),
  CONNECTIONS_MAX: z.coerce
    .number()
    .int()
    .min(10)
    .max(1_000_000)
    .default(10_000)
    .describe(
      'Maximum number of open connections. One network may hold half of what the others leave; trusted proxies may hold all.',
    ),
  LOOP_DELAY_MILLIS_MAX: z.coerce
    .number()
    .int()
    .min(10)
    .max(60_000)
    .default(100)
    .describe(
      'By how many milliseconds the service may delay its event loop before it refuses new requests with 503 while many are open.',
    ),
  BODY_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(3 * CHAT_LIMITS.chatArrivingBytesMax)
    .max(2_147_483_648)
    .default(134_217_728)
    .describe(
      'Maximum total size of request bodies and recordings in memory in this process. One visitor may hold a third of it, one network a ' +
        'half. Forwarding recordings takes up to the same amount again.',
    ),
  BODY_SILENCE_MILLIS: z.coerce
    .number()
    .int()
    .min(50)
    .max(300_000)
    .default(10_000)
    .describe('How long a request body may pause before the connection is closed.'),
  BODY_MILLIS_MAX: z.coerce
    .number()
    .int()
    .min(50)
    .max(3_600_000)
    .default(30_000)
    .describe('How long a whole request may take to arrive before the connection is closed.'),
  SECURITY_CONTACT: commaList.describe(
    'Comma-separated addresses for reports of vulnerabilities, `mailto:…` or `https://…`, published in ' +
      '/.well-known/security.txt (RFC 9116). Without them, the file is not served.',
  ),
  METRICS_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe('Bearer token for /metrics. Without it, /metrics is not served.'),
  SHUTDOWN_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(300)
    .default(10)
    .describe('How long running answers may take to finish after SIGTERM before they are interrupted.'),
  ...llmSettings,
  ...embeddingsSettings,
  ...speechSettings,
  ...telemetrySettings,
  ...proxySettings,
  ...mailSettings,
  ...oidcSettings,
  ...helpSettings,
});

type TokenKey = { kid: string; secret: Buffer };

export type PostgresConfig = {
  url: string;
  ownerUrl: string | undefined;
  readUrl: string | undefined;
  poolMax: number;
  pooler: 'direct' | 'transaction';
};

export type Config = {
  port: number;
  host: string;
  dataDir: string;
  database: {
    file: string;
    bytesMax: number;
    waitMillis: number;
    backups: {
      /** Backups before an upgrade are written even without BACKUP_DIR. */
      folder: string;
      /** Undefined when regular backups are off. */
      everyMillis: number | undefined;
    };
    /** Undefined when the database is a file. */
    postgres: PostgresConfig | undefined;
  };
  /** Undefined for a single node. */
  redisUrl: string | undefined;
  /** Storage limit of a workspace. */
  workspaceBytesMax: number;
  publicUrl: string | undefined;
  demo: boolean;
  logLevel: string;
  killSwitch: boolean;
  rollout: readonly string[];
  /** Whether a socket peer, or a proxy behind it, is trusted. */
  trustsProxy: ((address: string, hop: number) => boolean) | undefined;
  /** CIDR blocks that may be read although they are not public. */
  sourceNetworks: readonly string[];
  edgeProvider: 'cloudflare' | 'vercel' | 'cloudfront' | 'fastly' | undefined;
  geoDatabaseFile: string | undefined;
  tokenKeys: readonly TokenKey[];
  /** Newest first; empty when the keys are in a file. */
  secrets: readonly string[];
  streamsMax: number;
  connectionsMax: number;
  loopDelayMillisMax: number;
  bodyBytesMax: number;
  bodySilenceMillis: number;
  bodyMillisMax: number;
  securityContacts: readonly string[];
  metricsToken: string | undefined;
  shutdownMillis: number;
  /** Undefined when other servers are reached directly. */
  proxy: ProxySettings | undefined;
  speech: SpeechSettings;
  /** Undefined without a language model. */
  llm: LlmSettings | undefined;
  /** Limits of the models of workspaces. */
  modelLimits: ModelLimits;
  /** CIDR blocks that the models of workspaces may be in although they are not public. */
  modelNetworks: readonly string[];
  /** CIDR blocks that webhooks may send to although they are not public. */
  webhookNetworks: readonly string[];
  /** Undefined when articles are found by words alone. */
  embeddings: EmbeddingsSettings | undefined;
  /** Undefined when neither traces nor metrics are exported. */
  telemetry: TelemetrySettings | undefined;
  /** Undefined when no mail is sent. */
  mail: MailSettings | undefined;
  /** Undefined without an identity provider of the installation. */
  oidc: OidcSettings | undefined;
  /** The app ids of help centres by their domains. */
  helpDomains: HelpDomains;
};

/** The message has one line per invalid setting. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The environment of this process, for code that passes it on. */
export const environment: Readonly<Record<string, string | undefined>> = process.env;

/** Throws `ConfigError` with a sentence per invalid setting. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = environment): Config {
  const values = parseSettings(env);
  const proxy = parseProxySettings(values);
  const speech = parseSpeechSettings(values, proxy);
  if (typeof speech === 'string') throw new ConfigError(speech);
  const llm = parseLlmSettings(values, proxy);
  if (typeof llm === 'string') throw new ConfigError(llm);
  const embeddings = parseEmbeddingsSettings(values, proxy);
  if (typeof embeddings === 'string') throw new ConfigError(embeddings);
  const mail = parseMailSettings(values);
  if (typeof mail === 'string') throw new ConfigError(mail);
  const oidc = parseOidcSettings(values);
  if (typeof oidc === 'string') throw new ConfigError(oidc);
  const helpDomains = parseHelpDomains(values, values.PUBLIC_URL);
  if (typeof helpDomains === 'string') throw new ConfigError(helpDomains);
  const dataDir = resolve(values.DATA_DIR);
  return {
    port: values.PORT,
    host: values.HOST,
    dataDir,
    database: toDatabaseConfig(values, dataDir, !!env.DATABASE_BYTES_MAX),
    redisUrl: values.REDIS_URL,
    workspaceBytesMax: values.WORKSPACE_BYTES_MAX,
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, ''),
    demo: values.GUIDEPOST_DEMO === 'on',
    logLevel: values.LOG_LEVEL,
    killSwitch: values.KILL_SWITCH === 'on',
    rollout: values.ROLLOUT,
    trustsProxy: parseTrustedProxies(values.TRUSTED_PROXIES),
    sourceNetworks: parseSourceNetworks(values),
    edgeProvider: values.EDGE_PROVIDER,
    geoDatabaseFile: values.GEOIP_DB,
    tokenKeys: parseTokenKeys(values.VISITOR_TOKEN_KEYS),
    secrets: parseSecrets(values.GUIDEPOST_SECRET),
    streamsMax: values.STREAMS_MAX,
    connectionsMax: values.CONNECTIONS_MAX,
    loopDelayMillisMax: values.LOOP_DELAY_MILLIS_MAX,
    bodyBytesMax: values.BODY_BYTES_MAX,
    bodySilenceMillis: values.BODY_SILENCE_MILLIS,
    bodyMillisMax: values.BODY_MILLIS_MAX,
    securityContacts: parseSecurityContacts(values.SECURITY_CONTACT),
    metricsToken: values.METRICS_TOKEN,
    shutdownMillis: values.SHUTDOWN_SECONDS * 1000,
    proxy,
    speech,
    llm,
    modelLimits: toModelLimits(values),
    modelNetworks: parseNetworks('LLM_NETWORKS', values.LLM_NETWORKS),
    webhookNetworks: parseNetworks('WEBHOOK_NETWORKS', values.WEBHOOK_NETWORKS),
    embeddings,
    telemetry: parseTelemetrySettings(values, proxy),
    mail,
    oidc,
    helpDomains,
  };
}

type Settings = z.infer<typeof settings>;

function parseSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const known = Object.keys(settings.shape);
  // Shells and compose files use empty variables for "not set".
  const nonEmpty = known.map((name) => [name, readVariable(env, name)]).filter(([, value]) => value);
  const parsed = settings.safeParse(Object.fromEntries(nonEmpty), { error: toMessage });
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'),
  );
}

/** Reads the variables of the proxy in lower case, too. */
function readVariable(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return (name.endsWith('_PROXY') && env[name.toLowerCase()]) || env[name];
}

function toDatabaseConfig(values: Settings, dataDir: string, isLimitSet: boolean): Config['database'] {
  const postgres = parsePostgres(values);
  return {
    file: join(dataDir, 'guidepost.db'),
    waitMillis: values.DATABASE_WAIT_MILLIS,
    // A database server's disk also holds other databases, so its limit must be set explicitly.
    bytesMax: postgres && !isLimitSet ? Number.MAX_SAFE_INTEGER : values.DATABASE_BYTES_MAX,
    backups: {
      folder: resolve(values.BACKUP_DIR ?? join(dataDir, 'backups')),
      everyMillis: values.BACKUP_DIR && !postgres ? toMillis(values.BACKUP_EVERY) : undefined,
    },
    postgres,
  };
}

/** Prefixes that only this service's variables have. */
const OWN_PREFIX = /^(GUIDEPOST|LLM|EMBEDDINGS|SPEECH|BACKUP|TRUSTED|PUBLIC|SMTP|MAIL|OIDC)_/;

/** Finds variables that look like settings of this service but are not, each with the setting that it may mean. */
export function findUnknownSettings(env: Readonly<Record<string, string | undefined>>) {
  const known = Object.keys(settings.shape);
  const strip = (name: string) => name.replaceAll(/[_S]/g, '');
  return Object.keys(env)
    .filter((name) => env[name] && OWN_PREFIX.test(name) && !known.includes(name))
    .map((name) => ({
      name,
      suggestion: known.find(
        (each) => strip(each) === strip(name) || each.startsWith(name) || name.startsWith(each),
      ),
    }));
}

/** Replaces zod's messages that do not say what to write. */
function toMessage({ code, format }: { code?: string; format?: unknown }) {
  // All numeric settings are integers.
  if (code === 'invalid_type') return 'expected a whole number';
  if (format === 'url') return 'expected an address that begins with https:// or http://';
  return undefined;
}

function parsePostgres(values: Settings): PostgresConfig | undefined {
  if (values.DATABASE_URL === undefined) return undefined;
  if (values.REDIS_URL === undefined && values.SINGLE_NODE === 'off') {
    throw new ConfigError(
      'REDIS_URL: several nodes on one DATABASE_URL share their limits and answers through Redis. Where there is one node only, set SINGLE_NODE=on.',
    );
  }
  return {
    url: values.DATABASE_URL,
    ownerUrl: values.DATABASE_OWNER_URL,
    readUrl: values.DATABASE_READ_URL,
    poolMax: values.DATABASE_POOL_MAX,
    pooler: values.DATABASE_POOLER,
  };
}

/** Parses `30m`, `6h` or `1d`. */
function toMillis(duration: string): number {
  const minutes = { m: 1, h: 60, d: 1440 }[duration.at(-1)!]!;
  return Number.parseInt(duration, 10) * minutes * 60_000;
}

function parseTrustedProxies(ranges: readonly string[]): Config['trustsProxy'] {
  if (ranges.length === 0) return undefined;
  try {
    const trusts = compile([...ranges]);
    // Memoized: nearly all requests come through the same few proxies.
    return memoize((address) => trusts(address, 0), identity);
  } catch (error) {
    throw new ConfigError(`TRUSTED_PROXIES: ${(error as Error).message}`);
  }
}

/** Unless set, the loopback networks for a server that only this machine reaches, as when it is tried out. */
function parseSourceNetworks(values: Settings): readonly string[] {
  const { SOURCE_NETWORKS: ranges, HOST: host, PUBLIC_URL: publicUrl, TRUSTED_PROXIES: proxies } = values;
  const hosts = publicUrl === undefined ? [host] : [host, new URL(publicUrl).hostname];
  const isLocal = proxies.length === 0 && hosts.every(isLoopbackHost);
  return ranges.length === 0 && isLocal ? LOOPBACK_NETWORKS : parseNetworks('SOURCE_NETWORKS', ranges);
}

function parseNetworks(name: string, ranges: readonly string[]): readonly string[] {
  return ranges.map((range) => {
    const network = parseCidr(range);
    if (network === undefined) throw new ConfigError(`${name}: ${range} is no address or CIDR range`);
    return network;
  });
}

function parseSecurityContacts(contacts: readonly string[]): readonly string[] {
  const invalid = contacts.find((contact) => !/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(contact));
  if (invalid === undefined) return contacts;
  throw new ConfigError(`SECURITY_CONTACT: expected mailto: or https://, not ${invalid}`);
}

function parseTokenKeys(entries: readonly string[]): readonly TokenKey[] {
  const keys = entries.map(parseTokenKey);
  const duplicate = keys.find(({ kid }, index) => keys.findIndex((other) => other.kid === kid) < index);
  if (duplicate) throw new ConfigError(`VISITOR_TOKEN_KEYS: two keys have the name ${duplicate.kid}`);
  return keys;
}

function parseSecrets(secrets: readonly string[]): readonly string[] {
  for (const secret of secrets) {
    if (Buffer.byteLength(secret) < 32 || new Set(secret).size < 8)
      throw new ConfigError('GUIDEPOST_SECRET: expected at least 32 random bytes, without a comma');
  }
  return secrets;
}

function parseTokenKey(entry: string): TokenKey {
  const [kid, encoded, ...more] = entry.split(':');
  if (!kid || !/^[0-9A-Za-z_-]{1,32}$/.test(kid) || !encoded || more.length > 0) {
    throw new ConfigError('VISITOR_TOKEN_KEYS: every key must read kid:base64url');
  }
  const secret = Buffer.from(encoded, 'base64url');
  if (secret.length < 32 || new Set(secret).size < 8) {
    throw new ConfigError(`VISITOR_TOKEN_KEYS: the key ${kid} needs at least 32 random bytes`);
  }
  return { kid, secret };
}
