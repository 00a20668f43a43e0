import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Route } from '../../../contract/route.ts';
import { makeKey } from '../../support/export-client.ts';
import { type Harness, openHarness } from '../../support/harness.ts';
import { createFixtures, named } from '../../support/requests.ts';
import { type Fixtures, getSample, type OperationId } from '../../support/samples.ts';
import { joinAs } from '../../support/team.ts';
import { scriptedSpeech, seconds } from '../../support/voice-service.ts';

/** Runs the tools, each in a process of its own. */

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));
const BIN = fileURLToPath(new URL('node_modules/.bin/', import.meta.url));

/** Returns the path of a program that this folder's package.json installs. */
export const installed = (name: string) => `${BIN}${name}`;

export type Outcome = { code: number | null; output: string };

export async function run(
  program: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { child, output } = start(program, words, env);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output() };
}

export type Running = { child: ChildProcess; output: () => string };

/** Starts a program and waits until its output matches. */
export function startUntil(
  program: string,
  words: readonly string[],
  pattern: RegExp,
): Promise<Running & { match: RegExpExecArray }> {
  const running = start(program, words, {});
  const { child, output } = running;
  return new Promise((resolve, reject) => {
    const checkOutput = () => {
      const match = pattern.exec(output());
      if (match) resolve({ ...running, match });
    };
    child.stdout!.on('data', checkOutput);
    child.stderr!.on('data', checkOutput);
    child.on('error', reject);
    child.on('close', () => reject(new Error(`${program} ended before it was ready:\n${output()}`)));
  });
}

function start(program: string, words: readonly string[], env: Readonly<Record<string, string>>): Running {
  const child = spawn(program, words, {
    // The temporary files of the tools stay in this folder.
    cwd: HERE,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const record = (piece: Buffer) => {
    output += piece;
  };
  child.stdout.on('data', record);
  child.stderr.on('data', record);
  return { child, output: () => output };
}

/**
 * A server behind a proxy. Each request has an address of its own, so that no rate limit
 * responds in place of the operation.
 */
export type BlackBox = {
  harness: Harness;
  /** Returns the credential, parameters and fields of a valid request; see `Known`. */
  knowledgeUrl: string;
  close(): Promise<void>;
};

/** Credentials and existing records that the call can use. */
type Known = {
  credential: string;
  path: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
};

export async function openBlackBox(): Promise<BlackBox> {
  const harness = await openHarness({
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    speech: scriptedSpeech({
      provider_b: {
        token: () => ({}),
        transcribe: () => ({ text: 'How do I reset my password?', model: 'scripted', seconds: 2 }),
        speak: () => seconds(1),
      },
    }),
  });
  harness.service.server.prependListener('request', createAddressSetter());
  const known = createKnowledge(harness);
  const front = createServer((request, response) => {
    const [, kind, id] = (request.url ?? '').split('/');
    known(kind as 'sample' | 'credential', id as OperationId).then(
      (answer) => response.end(JSON.stringify(answer)),
      (error) => {
        console.error(`what ${id} needs could not be made:`, error);
        response.writeHead(500).end();
      },
    );
  });
  return {
    harness,
    knowledgeUrl: await listen(front),
    async close() {
      front.close();
      await harness.close();
    },
  };
}

/** Sets the forwarding header of a proxy whose callers have many addresses. */
function createAddressSetter(): (request: IncomingMessage) => void {
  let callers = 0;
  return ({ headers }) => {
    callers += 1;
    headers['x-forwarded-for'] = `10.${(callers >> 16) & 255}.${(callers >> 8) & 255}.${callers & 255}`;
  };
}

/** These operations change the workspace for all other calls, so each call gets its own workspace. */
const CHANGING_ALL = new Set(['changeTenant', 'deleteTenant']);

/** Consecutive calls with the same credential; fewer than any rate limit allows. */
const CALLS_EACH = 8;

function createKnowledge(harness: Harness) {
  const routes = new Map<OperationId, Route>(named);
  const currentByKind = new Map<string, { credential: string; calls: number }>();
  let shared: { fixtures: Fixtures; calls: number } | undefined;

  async function fixturesFor({ method, metadata }: Route): Promise<Fixtures> {
    if (CHANGING_ALL.has(metadata.operationId)) return fixturesInNewWorkspace(harness);
    // These operations end the session or membership that other calls still use.
    if (method === 'DELETE' || metadata.tag === 'Session') return createFixtures(harness);
    if (!shared || shared.calls >= CALLS_EACH) shared = { fixtures: await createFixtures(harness), calls: 0 };
    shared.calls += 1;
    return shared.fixtures;
  }

  async function sample(id: OperationId): Promise<Known> {
    const route = routes.get(id)!;
    const fixtures = await fixturesFor(route);
    // Exports return whatever exists.
    const { path, body } = route.metadata.tag === 'Export' ? {} : await getSample(fixtures, id);
    return {
      credential: credentialIn(fixtures, route),
      path: {
        ...valuesIn(route.path, path ?? route.path),
        ...tenantParameter(route, fixtures.harness),
      },
      body: body ?? {},
    };
  }

  async function credential(id: OperationId): Promise<Known> {
    const route = routes.get(id)!;
    const { method, metadata } = route;
    const kind = metadata.credential;
    if (CHANGING_ALL.has(id)) {
      const { harness: there, memberClient } = await fixturesInNewWorkspace(harness);
      return { credential: secretIn(memberClient.cookie), path: tenantParameter(route, there), body: {} };
    }
    // These operations end the session or membership that other calls still use.
    if (method === 'DELETE' || metadata.tag === 'Session')
      return {
        credential: await newCredential(harness, kind),
        path: tenantParameter(route, harness),
        body: {},
      };
    let current = currentByKind.get(kind);
    if (!current || current.calls >= CALLS_EACH) {
      current = { credential: await newCredential(harness, kind), calls: 0 };
      currentByKind.set(kind, current);
    }
    current.calls += 1;
    return { credential: current.credential, path: tenantParameter(route, harness), body: {} };
  }
  return (kind: 'sample' | 'credential', id: OperationId) =>
    kind === 'sample' ? sample(id) : credential(id);
}

async function fixturesInNewWorkspace(harness: Harness): Promise<Fixtures> {
  const workspace = await harness.addWorkspace();
  const memberClient = await joinAs(harness, workspace, 'owner');
  return { ...(await createFixtures(harness)), harness: { ...harness, workspace }, memberClient };
}

const tenantParameter = ({ path }: Route, { workspace }: Harness): Record<string, string> =>
  path.includes(':tenantId') ? { tenantId: workspace.id } : {};

function credentialIn({ visitor, memberClient, apiKey }: Fixtures, { metadata }: Route): string {
  if (metadata.credential === 'visitor') return visitor.jwt;
  return metadata.credential === 'api-key' ? apiKey : secretIn(memberClient.cookie);
}

async function newCredential(harness: Harness, kind: Route['metadata']['credential']): Promise<string> {
  if (kind === 'visitor') return (await harness.boot()).jwt;
  if (kind === 'api-key') return (await makeKey(harness)).text;
  return secretIn((await joinAs(harness, harness.workspace, 'owner')).cookie);
}

const secretIn = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);

/** Returns the values of a path's parameters, by name. */
function valuesIn(template: string, path: string): Record<string, string> {
  const values = path.split('?')[0]!.split('/');
  const named = template.split('/').map((part, at) => [part, values[at]!] as const);
  return Object.fromEntries(
    named.filter(([part]) => part.startsWith(':')).map(([part, value]) => [part.slice(1), value]),
  );
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
