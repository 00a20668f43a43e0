import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BootReply } from '../../contract/boot.ts';
import { eventsOf, ORIGIN, question, USER_AGENT } from './harness.ts';
import { seeds } from './seeds.ts';
import { tempDir } from './temp-dir.ts';

/** Runs the built service as a process, and sends its users' requests. */

export const PROGRAM = new URL('../../dist/guidepost.js', import.meta.url).pathname;
export const PASSWORD = 'a long and winding passphrase';
export const EMAIL = 'o@shop.example.com';
export const METRICS_TOKEN = 'token-of-the-metrics';

export type Place = { dataDir: string; tenantId: string; appId: string };
export type Visitor = BootReply & { jwt: string };
export type Server = {
  child: ChildProcess;
  baseUrl: string;
  /** Everything that the process has printed so far. */
  printed: () => string;
};

const running = new Set<ChildProcess>();

export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

export function start(
  dataDir: string,
  args: readonly string[],
  env: Record<string, string> = {},
  program = PROGRAM,
): ChildProcess {
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: dataDir,
      GUIDEPOST_DEMO: 'off',
      EMBEDDINGS: 'off',
      TRUSTED_PROXIES: 'loopback',
      METRICS_TOKEN,
      SHUTDOWN_SECONDS: '2',
      // A busy machine must not make the service shed load; trials about overload set a lower limit.
      LOOP_DELAY_MILLIS_MAX: '60000',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

/** Runs a command and waits for its exit. */
export async function command(dataDir: string, args: readonly string[], input = '', env = {}) {
  const child = start(dataDir, args, env);
  child.stdin!.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  if (child.exitCode === null) await once(child, 'exit');
  return { code: child.exitCode, stdout, stderr };
}

/** Starts the server, of another build if given; rejects with its output if it exits. */
export async function serve(
  dataDir: string,
  env: Record<string, string> = {},
  program = PROGRAM,
): Promise<Server> {
  // With a public address, the server does not print where it listens.
  const port = env.PORT ?? (env.PUBLIC_URL === undefined ? undefined : await findFreePort());
  const child = start(dataDir, ['serve'], { ...env, ...(port ? { PORT: String(port) } : {}) }, program);
  let printed = '';
  const baseUrl = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      printed += chunk;
      const address = /is listening on (\S+)/.exec(printed)?.[1];
      if (address) resolve(port ? `http://127.0.0.1:${port}` : address);
    };
    child.stdout!.on('data', listen);
    child.stderr!.on('data', listen);
    // When the process exits, the streams may still hold its last output.
    child.on('close', (code) => reject(new Error(`the server ended with ${code}: ${printed}`)));
  });
  return { child, baseUrl, printed: () => printed };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

export async function end(server: Server, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
  const { child } = server;
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
}

/** Creates a data folder with a workspace and articles. */
export async function createPlace(): Promise<Place> {
  template ??= fillPlace(join(tempDir(), 'data'));
  const place = await template;
  const dataDir = join(tempDir(), 'data');
  cpSync(place.dataDir, dataDir, { recursive: true });
  return { ...place, dataDir };
}

let template: Promise<Place> | undefined;

async function fillPlace(dataDir: string): Promise<Place> {
  const place = await addWorkspace(dataDir, EMAIL);
  await importArticles(place);
  return place;
}

export async function importArticles({ dataDir, tenantId }: Place, env = {}): Promise<void> {
  const file = join(dataDir, 'articles.jsonl');
  writeFileSync(file, seeds.map((seed) => JSON.stringify(seed)).join('\n'));
  await command(dataDir, ['knowledge', 'import', '--workspace', tenantId, file], '', env);
}

/** Adds a workspace without articles for the same site. */
export async function addWorkspace(dataDir: string, ownerEmail: string, env = {}): Promise<Place> {
  const created = await command(
    dataDir,
    [
      ...['workspace', 'create', '--json', '--name', 'A shop', '--domain', ORIGIN],
      ...['--owner-email', ownerEmail, '--owner-password-stdin'],
    ],
    PASSWORD,
    env,
  );
  if (created.code !== 0) throw new Error(created.stderr);
  const { app_id, tenant_id } = JSON.parse(created.stdout) as { app_id: string; tenant_id: string };
  return { dataDir, tenantId: tenant_id, appId: app_id };
}

let addresses = 0;
/** Returns a new address for each request, so that rate limits do not end the campaign. */
const nextAddress = () => {
  addresses += 1;
  return `198.18.${(addresses >> 8) & 255}.${addresses & 255}`;
};

export async function post(
  { baseUrl }: Pick<Server, 'baseUrl'>,
  path: string,
  json: unknown,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<Response> {
  return fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      origin: ORIGIN,
      'user-agent': USER_AGENT,
      'content-type': 'application/json',
      'x-forwarded-for': nextAddress(),
      ...headers,
    },
    body: JSON.stringify(json),
  });
}

export async function boot(
  server: Pick<Server, 'baseUrl'>,
  appId: string,
  more: object = {},
): Promise<Visitor> {
  const body = { app_id: appId, origin: ORIGIN, path: '/', ...more };
  const response = await post(server, '/boot', body);
  if (response.status !== 200) throw new Error(`boot: ${response.status} ${await response.text()}`);
  return (await response.json()) as Visitor;
}

/** Asks a question and returns the answer; the status is 0 when the answer was not acknowledged. */
export async function ask(server: Server, { jwt }: Visitor, body: Record<string, unknown> = {}) {
  const response = await post(server, '/chat', question(body), { authorization: `Bearer ${jwt}` });
  if (response.status !== 200) return { status: response.status, text: await response.text() };
  const events = eventsOf(await response.text());
  const first = events[0];
  if (first?.type !== 'message_start' || events.at(-1)?.type !== 'message_end')
    return { status: 0, text: JSON.stringify(events.at(-1)) };
  const answer = events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');
  return { status: 200, messageId: first.message_id, text: answer };
}

export async function accept(server: Server, { jwt, visitor_id }: Visitor): Promise<boolean> {
  const decision = { visitor_id, url: `${ORIGIN}/`, copy_version: '1', at: Date.now(), decision: 'accepted' };
  const response = await post(server, '/consent', decision, { authorization: `Bearer ${jwt}` });
  return response.status === 200 && ((await response.json()) as { recorded: boolean }).recorded;
}

/** Returns the headers of a request from the dashboard. */
export const dashboardHeaders = ({ baseUrl }: Pick<Server, 'baseUrl'>) => ({
  origin: baseUrl,
  'sec-fetch-site': 'same-origin',
});

/** Returns the cookies of a response, as a browser sends them back. */
export function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
}

/** Signs a user in, the owner by default, and returns the headers of a request from the dashboard. */
export async function signIn(
  server: Server,
  { email = EMAIL, password = PASSWORD, origin = server.baseUrl } = {},
): Promise<Record<string, string>> {
  const headers = { ...dashboardHeaders(server), origin };
  const response = await post(server, '/api/session', { email, password }, headers);
  if (response.status !== 200) throw new Error(`sign-in: ${response.status} ${await response.text()}`);
  return { ...headers, cookie: cookiesOf(response) };
}

export async function readReady(server: Server) {
  const response = await fetch(`${server.baseUrl}/readyz`);
  return {
    status: response.status,
    body: (await response.json()) as { database: boolean; problems: string[] },
  };
}
