import { setTimeout as wait } from 'node:timers/promises';
import { BUCKETS } from '../../../contract/limits/rate-limits.ts';
import { query } from '../../support/cluster/databases.ts';
import { ORIGIN } from '../../support/harness.ts';
import { post } from '../../support/service-process.ts';
import { expectThat } from '../campaign/campaign.ts';
import { buildNewer, type Cluster, DATABASE, NEWER_MIGRATION, type Node, type Shared } from './cluster.ts';
import type { Site } from './load.ts';

/** Faults of an installation while its visitors go on. */
type Fault = {
  name: string;
  /** Whether the pause of writes that the fault causes is limited. */
  hasPauseLimit: boolean;
  happen: () => Promise<void>;
};

/** Longer than the leases of turns, so that other nodes take over. */
const NODE_AWAY_MILLIS = 8_000;
const REDIS_AWAY_MILLIS = 8_000;

export function listFaults({ nodes, shared }: Cluster): Fault[] {
  const [first, last] = [nodes[0]!, nodes.at(-1)!];
  return [
    {
      name: 'kill -9 a node',
      hasPauseLimit: false,
      happen: () => restart(last, 'SIGKILL', shared ? NODE_AWAY_MILLIS : 0),
    },
    ...(shared ? listSharedFaults(shared) : []),
    { name: 'drain a node by SIGTERM', hasPauseLimit: false, happen: () => restart(first, 'SIGTERM', 0) },
    {
      name: 'deploy a newer build',
      hasPauseLimit: false,
      async happen() {
        const newer = buildNewer();
        for (const node of nodes) await restart(node, 'SIGTERM', 0, newer);
        if (shared) await expectMigrated(shared);
      },
    },
  ];
}

function listSharedFaults({ primary, standby, redis }: Shared): Fault[] {
  return [
    {
      name: 'stop the primary, promote the standby',
      hasPauseLimit: true,
      async happen() {
        await primary.stop('SIGQUIT');
        await query(standby.url('postgres'), 'SELECT pg_promote()');
      },
    },
    {
      name: 'stop Redis for a while',
      hasPauseLimit: false,
      async happen() {
        await redis.stop('SIGKILL');
        await wait(REDIS_AWAY_MILLIS);
        await redis.start();
      },
    },
  ];
}

async function expectMigrated({ standby }: Shared): Promise<void> {
  const text = 'SELECT name FROM guidepost.migrations WHERE name = $1';
  const found = await query(standby.url(DATABASE), text, [NEWER_MIGRATION]);
  expectThat(found.length === 1, 'the newer build did not migrate the database');
}

async function restart(
  node: Node,
  signal: 'SIGTERM' | 'SIGKILL',
  awayMillis: number,
  program?: string,
): Promise<void> {
  const code = await node.stop(signal);
  if (signal === 'SIGTERM') expectThat(code === 0, `the node ended with ${code}`);
  await wait(awayMillis);
  await node.start(program);
}

const LIMITED_ADDRESSES = 5;
const BOOTS_AT_ONCE = 10;

/** Boots from a few addresses until all nodes return 429. Resolves with the granted share of the limit. */
export async function measureLimit(baseUrl: string, { appId }: Site): Promise<number> {
  const { points } = BUCKETS['boot/rate-limited'];
  let granted = 0;
  limitTrials += 1;
  for (let address = 1; address <= LIMITED_ADDRESSES; address += 1) {
    const headers = { 'x-forwarded-for': `203.0.${limitTrials}.${address}` };
    let bootsLeft = points * 1.5;
    const bootAll = async () => {
      while (bootsLeft-- > 0) {
        const body = { app_id: appId, origin: ORIGIN, path: '/' };
        const response = await post({ baseUrl }, '/boot', body, headers);
        await response.text();
        if (response.status === 200) granted += 1;
        else expectThat(response.status === 429, `boot: ${response.status}`);
      }
    };
    await Promise.all(Array.from({ length: BOOTS_AT_ONCE }, bootAll));
  }
  return granted / (LIMITED_ADDRESSES * points);
}

let limitTrials = 0;
