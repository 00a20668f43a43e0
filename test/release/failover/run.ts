/**
 * The failover campaign against the built service: injects faults into an installation of three nodes, PostgreSQL with a
 * synchronous standby, Redis and HAProxy, while visitors and editors go on. Prints its progress and a table; the exit code is 1
 * when a promise is broken. With --sqlite, one node keeps its data in its folder, and the faults are those of a node.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { expectThat, report, runCampaign, type Trial } from '../campaign/campaign.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { listFaults, measureLimit } from './faults.ts';
import { judge, longestPause, type Observations, startLoad, type Verdict } from './load.ts';

const { values } = parseArgs({
  options: {
    sqlite: { type: 'boolean', default: false },
    clients: { type: 'string', default: '50' },
    streams: { type: 'string', default: '50' },
  },
});

const SITES = 4;
/** How long the load runs before the first fault and after each. */
const CALM_MILLIS = 6_000;
const LIMIT_ERROR_MAX = 0.02;
/** Longest pause of writes in a fault with a pause limit. */
const PAUSE_MILLIS_MAX = 5_000;
const EXAMPLES = 3;

type Observed = {
  observations: Observations;
  verdict: Verdict;
  /** Granted share of a limit while all nodes are running. */
  limits: { before: number; after: number };
  /** Longest pause of writes, in milliseconds. */
  pauses: readonly {
    fault: string;
    millis: number;
    hasLimit: boolean;
  }[];
};

async function observe(cluster: Cluster): Promise<Observed> {
  const { baseUrl } = cluster;
  const sites = await cluster.createSites(SITES);
  const before = await measureLimit(baseUrl, sites[0]!);
  const load = startLoad(baseUrl, sites, {
    clients: Number(values.clients),
    streams: Number(values.streams),
  });
  await wait(CALM_MILLIS);
  const pauses: Observed['pauses'][number][] = [];
  for (const { name, hasPauseLimit, happen } of listFaults(cluster)) {
    report(`… ${name}`);
    const from = performance.now();
    await happen();
    await wait(CALM_MILLIS);
    const millis = longestPause(load.observations, from, performance.now());
    pauses.push({ fault: name, millis, hasLimit: hasPauseLimit });
    report(`  ${summarize(load.observations)}; longest pause of writing ${seconds(millis)}`);
  }
  await load.stop();
  const after = await measureLimit(baseUrl, sites[0]!);
  const verdict = await judge(baseUrl, sites, load.observations);
  return { observations: load.observations, verdict, limits: { before, after }, pauses };
}

const seconds = (millis: number) => `${(millis / 1000).toFixed(1)} s`;
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const summarize = ({ acknowledgedAt, answers, failures }: Observations) =>
  `${acknowledgedAt.length} writes acknowledged, ${answers.size} answers, ${failures} requests failed`;

function listTrials({ observations, verdict, limits, pauses }: Observed): Trial[] {
  const none = (found: readonly string[], of: string) => async () => {
    expectThat(found.length === 0, `${found.length}: ${found.slice(0, EXAMPLES).join('; ')}`);
    return `0 of ${of}`;
  };
  const limit = (share: number) => async () => {
    expectThat(Math.abs(share - 1) <= LIMIT_ERROR_MAX, `${percent(share)} of the limit was granted`);
    return percent(share);
  };
  const { answers, acknowledgedAt, brokenStreams } = observations;
  const repeated = [...answers.values()].filter(({ repeats }) => repeats > 0).length;
  const ended = answers.size + brokenStreams.length;
  return [
    {
      name: 'acknowledged writes lost',
      expected: '0',
      run: none(verdict.lost, `${acknowledgedAt.length}; ${observations.failures} requests failed`),
    },
    {
      name: 'streams that did not end exactly once, or that lost or repeated a frame',
      expected: '0',
      run: none(brokenStreams, `${ended}, ${repeated} of them through a fault`),
    },
    {
      name: 'turns counted other than once',
      expected: '0',
      run: none(verdict.miscounted, `${answers.size + verdict.unread}`),
    },
    { name: 'limit granted over all nodes, before', expected: '100 % ± 2', run: limit(limits.before) },
    { name: 'limit granted over all nodes, after', expected: '100 % ± 2', run: limit(limits.after) },
    ...pauses.map(({ fault, millis, hasLimit }) => ({
      name: `longest pause of writing: ${fault}`,
      expected: hasLimit ? `at most ${seconds(PAUSE_MILLIS_MAX)}` : '',
      async run() {
        expectThat(!hasLimit || millis <= PAUSE_MILLIS_MAX, seconds(millis));
        return seconds(millis);
      },
    })),
  ];
}

const cluster = await startCluster(
  values.sqlite ? { nodeCount: 1, isShared: false } : { nodeCount: 3, isShared: true },
);
const observed = await observe(cluster).finally(cluster.stop);
process.exit(await runCampaign(listTrials(observed), undefined));
