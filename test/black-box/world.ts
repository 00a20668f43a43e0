import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Route } from '../../contract/route.ts';
import { joinAs } from '../accounts/office.ts';
import { makeKey } from '../export/keys.ts';
import { named, type OperationId, samples, type World, worldOf } from '../fixtures/requests.ts';
import { type Harness, openHarness } from '../harness.ts';
import { scriptedSpeech, seconds } from '../voice/scripted-speech.ts';

/**
 * A server as the outside meets it: behind a proxy that speaks https. Each request comes from an address of its own, so that what is
 * refused is refused for what was sent and not for how often. The service itself is the one that runs in production.
 */
export type BlackBox = {
  readonly harness: Harness;
  /** Tells what a good request of an operation names; see `Known`. */
  readonly knowledgeUrl: string;
  close(): Promise<void>;
};

/** Who may call an operation, and what exists that the call can be about. */
type Known = {
  readonly credential: string;
  readonly path: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
};

export async function openBlackBox(): Promise<BlackBox> {
  const harness = await openHarness({
    env: { TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: 'https://guide.example.com' },
    speech: scriptedSpeech({
      provider_b: {
        token: () => ({}),
        transcribe: () => ({ text: 'How do I reset my password?', model: 'scripted', seconds: 2 }),
        speak: () => seconds(1),
      },
    }),
  });
  harness.service.server.prependListener('request', fromElsewhere());
  const known = knowing(harness);
  const door = createServer((request, response) => {
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
    knowledgeUrl: await listening(door),
    async close() {
      door.close();
      await harness.close();
    },
  };
}

/** What the proxy in front would write down of callers all over the world. */
function fromElsewhere(): (request: IncomingMessage) => void {
  let callers = 0;
  return ({ headers }) => {
    callers += 1;
    headers['x-forwarded-for'] = `10.${(callers >> 16) & 255}.${(callers >> 8) & 255}.${callers & 255}`;
  };
}

/** What these change would change it for everybody; each call of theirs has a workspace of its own. */
const CHANGING_ALL = new Set(['changeTenant', 'deleteTenant']);

/** So many calls in a row are one person's; fewer than any bucket holds. */
const CALLS_EACH = 8;

function knowing(harness: Harness) {
  const routes = new Map<OperationId, Route>(named);
  const inTurn = new Map<string, { credential: string; calls: number }>();
  let shared: { readonly world: World; calls: number } | undefined;

  async function worldFor({ method, metadata }: Route): Promise<World> {
    if (CHANGING_ALL.has(metadata.operationId)) return worldElsewhere(harness);
    // What ends a session or a membership would end it for others too.
    if (method === 'DELETE' || metadata.tag === 'Session') return worldOf(harness);
    if (!shared || shared.calls >= CALLS_EACH) shared = { world: await worldOf(harness), calls: 0 };
    shared.calls += 1;
    return shared.world;
  }

  async function sample(id: OperationId): Promise<Known> {
    const route = routes.get(id)!;
    const world = await worldFor(route);
    // An export is about whatever there is.
    const { path, body } = route.metadata.tag === 'Export' ? {} : await samples[id](world);
    return {
      credential: credentialIn(world, route),
      path: {
        ...valuesIn(route.path, path ?? route.path),
        ...tenantParameter(route, world.harness),
      },
      body: body ?? {},
    };
  }

  async function credential(id: OperationId): Promise<Known> {
    const route = routes.get(id)!;
    const { method, metadata } = route;
    const kind = metadata.credential;
    if (CHANGING_ALL.has(id)) {
      const { harness: there, desk } = await worldElsewhere(harness);
      return { credential: secretIn(desk.cookie), path: tenantParameter(route, there), body: {} };
    }
    // Ends the session or membership that other calls still use.
    if (method === 'DELETE' || metadata.tag === 'Session')
      return {
        credential: await newCredential(harness, kind),
        path: tenantParameter(route, harness),
        body: {},
      };
    let current = inTurn.get(kind);
    if (!current || current.calls >= CALLS_EACH) {
      current = { credential: await newCredential(harness, kind), calls: 0 };
      inTurn.set(kind, current);
    }
    current.calls += 1;
    return { credential: current.credential, path: tenantParameter(route, harness), body: {} };
  }
  return (kind: 'sample' | 'credential', id: OperationId) =>
    kind === 'sample' ? sample(id) : credential(id);
}

async function worldElsewhere(harness: Harness): Promise<World> {
  const workspace = await harness.addWorkspace();
  const desk = await joinAs(harness, workspace, 'owner');
  return { ...(await worldOf(harness)), harness: { ...harness, workspace }, desk };
}

const tenantParameter = ({ path }: Route, { workspace }: Harness): Record<string, string> =>
  path.includes(':tenantId') ? { tenantId: workspace.id } : {};

function credentialIn({ visitor, desk, apiKey }: World, { metadata }: Route): string {
  if (metadata.credential === 'visitor') return visitor.jwt;
  return metadata.credential === 'api-key' ? apiKey : secretIn(desk.cookie);
}

async function newCredential(harness: Harness, kind: Route['metadata']['credential']): Promise<string> {
  if (kind === 'visitor') return (await harness.boot()).jwt;
  if (kind === 'api-key') return (await makeKey(harness)).text;
  return secretIn((await joinAs(harness, harness.workspace, 'owner')).cookie);
}

const secretIn = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);

/** What stands in a path where its template has names. */
function valuesIn(template: string, path: string): Record<string, string> {
  const values = path.split('?')[0]!.split('/');
  const named = template.split('/').map((part, at) => [part, values[at]!] as const);
  return Object.fromEntries(
    named.filter(([part]) => part.startsWith(':')).map(([part, value]) => [part.slice(1), value]),
  );
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
