import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { ORIGIN } from '../../support/harness.ts';
import {
  command,
  cookiesOf,
  createPlace,
  dashboardHeaders,
  EMAIL,
  end,
  PASSWORD,
  type Place,
  post,
  type Server,
  serve,
  signIn,
} from '../../support/service-process.ts';
import { expectThat, type Trial } from '../campaign/campaign.ts';

/** Attacks on accounts, the audit and API keys. */

const VICTIM = 'grace@shop.example';
const CHOSEN_BY_ATTACKER = 'seven green bicycles sing';
const CHOSEN_BY_OPERATOR = 'eleven amber kettles hum';

type State = { memberships: readonly { tenantId: string }[] };

async function runCommand(dataDir: string, args: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await command(dataDir, args, input);
  if (code !== 0) throw new Error(`guidepost ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function invite(server: Server, tenantId: string, email: string, owner: Record<string, string>) {
  const path = `/api/tenants/${tenantId}/invitations`;
  const response = await post(server, path, { email, role: 'member' }, owner);
  expectThat(response.status === 201, `the invitation: ${response.status} ${await response.clone().text()}`);
  const { link } = (await response.json()) as { link: string };
  return new URL(link).hash.replace('#token=', '');
}

const acceptInvitation = (server: Server, token: string, password: string) =>
  post(server, '/api/invitations/accept', { token, password }, dashboardHeaders(server));

/** Returns the ids of the workspaces that the password opens; none when it opens no account. */
async function workspacesBehind(server: Server, email: string, password: string): Promise<string[]> {
  const response = await post(server, '/api/session', { email, password }, dashboardHeaders(server));
  if (response.status === 401) return [];
  expectThat(response.status === 200, `a sign-in: ${response.status}`);
  return ((await response.json()) as State).memberships.map(({ tenantId }) => tenantId);
}

function takeover(what: string, create: (place: Place) => Promise<string>): Trial {
  return {
    name: `takeover of an address before ${what}`,
    expected: 'the new workspace is not attached to the attacker',
    async run() {
      const place = await createPlace();
      const server = await serve(place.dataDir);
      const token = await invite(server, place.tenantId, VICTIM, await signIn(server));
      const accepted = await acceptInvitation(server, token, CHOSEN_BY_ATTACKER);
      expectThat(accepted.status === 200, `accepting: ${accepted.status}`);
      const mallory = { ...dashboardHeaders(server), cookie: cookiesOf(accepted) };
      const created = await create(place);
      const openedByAttacker = await workspacesBehind(server, VICTIM, CHOSEN_BY_ATTACKER);
      expectThat(!openedByAttacker.includes(created), "the attacker's password opens the new workspace");
      const read = await fetch(`${server.baseUrl}/api/tenants/${created}`, { headers: mallory });
      expectThat([401, 403, 404].includes(read.status), `the attacker's session gets ${read.status}`);
      const openedByOperator = await workspacesBehind(server, VICTIM, CHOSEN_BY_OPERATOR);
      expectThat(
        openedByOperator.includes(created),
        "the operator's password does not open the new workspace",
      );
      return `attacker ${read.status}, victim has the workspace`;
    },
  };
}

const createWorkspace = async ({ dataDir }: Place): Promise<string> => {
  const output = await runCommand(
    dataDir,
    [
      ...['workspace', 'create', '--json', '--name', 'Of the victim', '--domain', 'https://victim.example'],
      ...['--owner-email', VICTIM, '--owner-password-stdin'],
    ],
    CHOSEN_BY_OPERATOR,
  );
  return (JSON.parse(output) as { tenant_id: string }).tenant_id;
};

const createMember = async ({ dataDir }: Place): Promise<string> => {
  const output = await runCommand(
    dataDir,
    [
      ...['workspace', 'create', '--json', '--name', 'Another shop', '--domain', 'https://another.example'],
      ...['--owner-email', 'ada@another.example', '--owner-password-stdin'],
    ],
    PASSWORD,
  );
  const { tenant_id } = JSON.parse(output) as { tenant_id: string };
  await runCommand(
    dataDir,
    ['member', 'create', '--workspace', tenant_id, '--email', VICTIM, '--role', 'admin', '--password-stdin'],
    CHOSEN_BY_OPERATOR,
  );
  return tenant_id;
};

const GUESSING_ADDRESSES = 12;
const GUESSES = 120;

const guess = (server: Server, at: number, password = `wrong guess ${at}`) =>
  post(
    server,
    '/api/session',
    { email: EMAIL, password },
    { ...dashboardHeaders(server), 'x-forwarded-for': `198.51.${at % GUESSING_ADDRESSES}.9` },
  );

const guesses: Trial = {
  name: `${GUESSES} wrong guesses from ${GUESSING_ADDRESSES} addresses`,
  expected:
    'strangers are slowed; the owner signs in on a known device and confirms; the audit stays small and intact',
  async run() {
    const place = await createPlace();
    const server = await serve(place.dataDir);
    const owner = await signIn(server);
    const statuses = [];
    for (let at = 0; at < GUESSES; at += 1) statuses.push((await guess(server, at)).status);
    const checkedGuesses = statuses.filter((status) => status === 401).length;
    expectThat(checkedGuesses <= 100, `${checkedGuesses} guesses were tried`);
    expectThat(
      statuses.every((status) => status === 401 || status === 429),
      `statuses ${[...new Set(statuses)]}`,
    );
    expectThat((await guess(server, 0, PASSWORD)).status === 429, 'a stranger is not slowed');
    const confirmed = await post(server, '/api/session/confirm', { password: PASSWORD }, owner);
    expectThat(confirmed.status === 200, `the signed-in owner cannot confirm: ${confirmed.status}`);
    const device = owner.cookie!.split('; ').filter((cookie) => !cookie.includes('session'));
    const knownBrowser = { ...dashboardHeaders(server), cookie: device.join('; ') };
    const again = await post(server, '/api/session', { email: EMAIL, password: PASSWORD }, knownBrowser);
    expectThat(again.status === 200, `the owner's device is locked out: ${again.status}`);
    const rows = await readFailures(server, place, { ...knownBrowser, cookie: cookiesOf(again) });
    expectThat(rows > 0 && rows <= 2 * GUESSING_ADDRESSES, `${rows} audit rows of failed attempts`);
    await end(server, 'SIGTERM');
    await verifyThenBreak(place);
    return `${checkedGuesses} tried, the rest 429; device and session go on; ${rows} audit rows; a changed byte is found`;
  },
};

async function readFailures(server: Server, { tenantId }: Place, headers: Record<string, string>) {
  const response = await fetch(`${server.baseUrl}/api/tenants/${tenantId}/audit?limit=200`, { headers });
  const { data } = (await response.json()) as { data: { action: string }[] };
  return data.filter(({ action }) => action === 'session.sign_in_failed').length;
}

/** Expects a valid chain, and an invalid one once a program with access to the file has changed one byte of a row. */
async function verifyThenBreak({ dataDir }: Place): Promise<void> {
  await runCommand(dataDir, ['audit', 'verify']);
  const db = new Database(join(dataDir, 'guidepost.db'));
  const trigger = db.prepare("SELECT sql FROM sqlite_master WHERE name = 'audit_no_update'").pluck().get();
  db.exec('DROP TRIGGER audit_no_update');
  const { changes } = db
    .prepare("UPDATE audit SET action = 'session.sign_in_faileD' WHERE action = 'session.sign_in_failed'")
    .run();
  db.exec(trigger as string);
  db.close();
  expectThat(changes > 0, 'no row of the database was changed');
  const { code } = await command(dataDir, ['audit', 'verify']);
  expectThat(code !== 0, 'a changed row was not found');
}

/** Returns the parts of a response that must not differ. */
async function shapeOf(response: Response): Promise<string> {
  const changing = ['date', 'x-request-id', 'set-cookie', 'access-control-allow-origin', 'ratelimit'];
  const headers = [...response.headers].filter(([name]) => !changing.includes(name));
  const text = (await response.text()).replaceAll(
    /(req|usr|mem|inv|ses)_\w+|[\w-]+@[\w.]+|\d{4}-\d\d-[\w:.]+/g,
    '…',
  );
  return JSON.stringify([response.status, headers.filter(([name]) => name !== 'content-length'), text]);
}

const probing: Trial = {
  name: 'probing for accounts and workspaces by invitations and preflights',
  expected: 'the same response whether or not an address has an account, or an origin a workspace',
  async run() {
    const place = await createPlace();
    const server = await serve(place.dataDir);
    await createWorkspace(place);
    const owner = await signIn(server);
    const distinctResponses = new Set<string>();
    for (const email of [VICTIM, 'nobody@shop.example']) {
      const token = await invite(server, place.tenantId, email, owner);
      const read = await post(server, '/api/invitations/read', { token }, dashboardHeaders(server));
      const weak = await acceptInvitation(server, token, 'short');
      const accepted = await acceptInvitation(server, token, CHOSEN_BY_ATTACKER);
      distinctResponses.add((await Promise.all([read, weak, accepted].map(shapeOf))).join());
    }
    expectThat(distinctResponses.size === 1, `an invitation tells: ${[...distinctResponses].join(' ≠ ')}`);
    const preflights = new Set<string>();
    for (const origin of [ORIGIN, 'https://victim.example', 'https://nobody.example']) {
      const response = await fetch(`${server.baseUrl}/boot`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      const allowed = response.headers.get('access-control-allow-origin');
      preflights.add(`${allowed === origin ? 'own' : allowed} ${await shapeOf(response)}`);
    }
    expectThat(preflights.size === 1, `a preflight tells: ${[...preflights].join(' ≠ ')}`);
    return 'equal responses';
  },
};

const apiKeys: Trial = {
  name: 'expired, rotated and foreign API keys',
  expected: '401 or 403, and each rejection is audited',
  async run() {
    const place = await createPlace();
    const create = async (...options: readonly string[]) => {
      const args = ['key', 'create', '--json', '--workspace', place.tenantId, '--scope', 'events:read'];
      return JSON.parse(await runCommand(place.dataDir, [...args, ...options])) as {
        id: string;
        key: string;
      };
    };
    const restrictedKey = await create('--allow', '198.51.100.0/24');
    const rotatedKey = await create();
    const rotated = await runCommand(place.dataDir, [
      'key',
      'rotate',
      rotatedKey.id,
      '--overlap',
      '0',
      '--json',
    ]);
    const server = await serve(place.dataDir);
    const expiringKey = await create('--expires', new Date(Date.now() + 8_000).toISOString());
    const use = async (key: string, from = '203.0.113.9') => {
      const headers = { 'x-api-key': key, 'x-forwarded-for': from };
      return (await fetch(`${server.baseUrl}/api/export/events`, { headers })).status;
    };
    expectThat((await use(expiringKey.key)) === 200, 'a key before its expiry');
    expectThat(
      (await use((JSON.parse(rotated) as { key: string }).key)) === 200,
      'a new key after a rotation',
    );
    expectThat((await use(restrictedKey.key, '198.51.100.7')) === 200, 'a key from its network');
    await wait(8_000);
    const statuses = [await use(expiringKey.key), await use(rotatedKey.key), await use(restrictedKey.key)];
    expectThat(
      statuses.every((status) => status === 401 || status === 403),
      `statuses ${statuses}`,
    );
    await end(server, 'SIGTERM');
    const db = new Database(join(place.dataDir, 'guidepost.db'), { readonly: true });
    const rows = db.prepare("SELECT count(*) FROM audit WHERE action = 'access.refused'").pluck().get();
    db.close();
    expectThat(rows === statuses.length, `${rows} audit rows`);
    return `statuses ${statuses.join(', ')}; ${rows} audit rows`;
  },
};

export const accountAttacks: readonly Trial[] = [
  takeover('`workspace create`', createWorkspace),
  takeover('`member create`', createMember),
  guesses,
  probing,
  apiKeys,
];
