/**
 * Simulates an installation under growing load, from the costs that bench/cluster.ts has measured, and prints how many turns a second
 * it carries and what the next limit is. A model, not a measurement: it shows which part saturates first.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { seededRandom } from './articles.ts';
import type { ClusterResults } from './cluster.ts';

const help = `Simulates 1, 3 and 10 nodes with one primary, from measured costs.

  node bench/scaling.ts FILE [--cores 8] [--commit-millis 2]

  FILE                of bench/cluster.ts --json
  --cores N           cores of the primary
  --commit-millis N   a flush of the write-ahead log, and the way to the synchronous standby and back
`;

type Costs = {
  /** Seconds of processor time, at a node and at the primary. */
  nodeTurn: number;
  nodeBoot: number;
  /** The reads of a turn, and one of its writes, during which it locks its workspace. */
  primaryRead: number;
  primaryWrite: number;
  primaryBoot: number;
  primaryCores: number;
  commit: number;
};

type Scenario = { nodes: number; workspaces: number };

/** A visit is a boot and this many turns. */
const TURNS_PER_VISIT = 3;
/** A turn writes at its start and at its end. */
const WRITES_PER_TURN = 2;
const SIMULATED_SECONDS = 20;
const LATE_SECONDS = 0.5;
/** The busiest hour of a day has this many times the average. */
const PEAK = 3;
const DAY_SECONDS = 86_400;

/** Runs simulated events in order of time. */
class Timeline {
  readonly #heap: { at: number; run: () => void }[] = [];
  now = 0;

  after(seconds: number, run: () => void): void {
    const heap = this.#heap;
    heap.push({ at: this.now + seconds, run });
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (heap[parent]!.at <= heap[child]!.at) break;
      [heap[parent], heap[child]] = [heap[child]!, heap[parent]!];
      child = parent;
    }
  }

  run(untilSeconds: number): void {
    for (let next = this.#take(); next && next.at <= untilSeconds; next = this.#take()) {
      this.now = next.at;
      next.run();
    }
  }

  #take() {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    heap[0] = last;
    for (let parent = 0; ; ) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2])
        if (child < heap.length && heap[child]!.at < heap[least]!.at) least = child;
      if (least === parent) return first;
      [heap[parent], heap[least]] = [heap[least]!, heap[parent]!];
      parent = least;
    }
  }
}

/** A queue with a number of servers, first in, first out. */
class Queue {
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #busy = 0;
  readonly #timeline: Timeline;
  readonly #servers: number;

  constructor(timeline: Timeline, servers: number) {
    this.#timeline = timeline;
    this.#servers = servers;
    this.#free = servers;
  }

  /** Calls back when a server is free; `leave` releases the server. */
  enter(callback: () => void): void {
    if (this.#free === 0) {
      this.#waiting.push(callback);
      return;
    }
    this.#free -= 1;
    callback();
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }

  use(seconds: number, callback: () => void): void {
    this.enter(() => {
      this.#timeline.after(seconds, () => {
        this.#busy += seconds;
        this.leave();
        callback();
      });
    });
  }

  get usedShare(): number {
    return this.#busy / (this.#timeline.now * this.#servers);
  }
}

type Outcome = { lateShare: number; used: Readonly<Record<string, number>> };

/** Simulates visits that arrive at random; each boots at one node and asks its turns. */
function simulate(costs: Costs, { nodes, workspaces }: Scenario, turnsPerSecond: number): Outcome {
  const timeline = new Timeline();
  const random = seededRandom(1);
  const processors = Array.from({ length: nodes }, () => new Queue(timeline, 1));
  const primary = new Queue(timeline, costs.primaryCores);
  // A writing transaction locks its workspace.
  const locks = Array.from({ length: workspaces }, () => new Queue(timeline, 1));
  let lockSeconds = 0;
  let turns = 0;
  let late = 0;

  function write(lock: Queue, seconds: number, callback: () => void): void {
    lock.enter(() => {
      const heldFrom = timeline.now;
      primary.use(seconds, () =>
        // Waiting commits share one flush.
        timeline.after(costs.commit, () => {
          lockSeconds += timeline.now - heldFrom;
          lock.leave();
          callback();
        }),
      );
    });
  }

  function turn(node: Queue, lock: Queue): void {
    const startedAt = timeline.now;
    const end = () => {
      turns += 1;
      if (timeline.now - startedAt > LATE_SECONDS) late += 1;
    };
    const { primaryRead, primaryWrite, nodeTurn } = costs;
    write(lock, primaryWrite, () =>
      primary.use(primaryRead, () => node.use(nodeTurn, () => write(lock, primaryWrite, end))),
    );
  }

  function arrive(): void {
    const node = processors[Math.floor(random() * nodes)]!;
    const lock = locks[Math.floor(random() * workspaces)]!;
    // A boot only reads; its event is written later, together with others.
    node.use(costs.nodeBoot, () => primary.use(costs.primaryBoot, () => {}));
    for (let turnIdx = 0; turnIdx < TURNS_PER_VISIT; turnIdx += 1)
      timeline.after(random() * SIMULATED_SECONDS * 0.5, () => turn(node, lock));
    timeline.after((-Math.log(1 - random()) * TURNS_PER_VISIT) / turnsPerSecond, arrive);
  }

  arrive();
  timeline.run(SIMULATED_SECONDS);
  const expected = turnsPerSecond * SIMULATED_SECONDS * 0.75;
  return {
    // Turns that are still waiting at the end count as late.
    lateShare: Math.max(late / Math.max(turns, 1), 1 - turns / (expected * 0.9)),
    used: {
      'the nodes': processors.reduce((sum, processor) => sum + processor.usedShare, 0) / nodes,
      'the primary': primary.usedShare,
      'the lock of the workspace': lockSeconds / (timeline.now * workspaces),
    },
  };
}

/** Returns the highest rate of turns at which at most one turn in a hundred is late. */
function findCapacity(costs: Costs, scenario: Scenario): { turns: number; limit: string } {
  let [low, high] = [1, findBound(costs, scenario)];
  while (high - low > low * 0.04) {
    const middle = (low + high) / 2;
    if (simulate(costs, scenario, middle).lateShare <= 0.01) low = middle;
    else high = middle;
  }
  const { used } = simulate(costs, scenario, low);
  const [limit] = Object.entries(used).sort(([, one], [, other]) => other - one)[0]!;
  return { turns: low, limit };
}

/** Returns the rate of turns at which the busiest part is fully used. */
function findBound(costs: Costs, { nodes, workspaces }: Scenario): number {
  const writeSeconds = WRITES_PER_TURN * costs.primaryWrite;
  const lockSeconds = writeSeconds + WRITES_PER_TURN * costs.commit;
  return Math.min(
    nodes / (costs.nodeTurn + costs.nodeBoot / TURNS_PER_VISIT),
    costs.primaryCores / (costs.primaryRead + writeSeconds + costs.primaryBoot / TURNS_PER_VISIT),
    workspaces / lockSeconds,
  );
}

function readCosts(file: string, cores: number, commitMillis: number): Costs {
  const { oneNode } = JSON.parse(readFileSync(file, 'utf8')) as ClusterResults;
  return {
    nodeTurn: oneNode.turnNodeMicros / 1e6,
    nodeBoot: oneNode.bootNodeMicros / 1e6,
    primaryRead:
      Math.max(0, oneNode.turnDatabaseMicros - WRITES_PER_TURN * oneNode.insertDatabaseMicros) / 1e6,
    primaryWrite: oneNode.insertDatabaseMicros / 1e6,
    primaryBoot: oneNode.bootDatabaseMicros / 1e6,
    primaryCores: cores,
    commit: commitMillis / 1000,
  };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cores: { type: 'string', default: '8' },
    'commit-millis': { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});
const [file] = positionals;
if (values.help || file === undefined) {
  process.stdout.write(help);
} else {
  const costs = readCosts(file, Number(values.cores), Number(values['commit-millis']));
  process.stdout.write('nodes  workspaces  turns/s  turns a day  full first\n');
  for (const nodes of [1, 3, 10])
    for (const workspaces of [1, 1000]) {
      const { turns, limit } = findCapacity(costs, { nodes, workspaces });
      const perDay = (turns * DAY_SECONDS) / PEAK / 1e6;
      process.stdout.write(
        `${String(nodes).padStart(5)}  ${String(workspaces).padStart(10)}  ${turns.toFixed(0).padStart(7)}  ${`${perDay.toFixed(1)} million`.padStart(11)}  ${limit}\n`,
      );
    }
}
