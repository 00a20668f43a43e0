/**
 * The load generator, run as a child process: raw keep-alive sockets that write prepared requests and parse only what is needed.
 * Receives a plan, then one job after another, and reports each outcome.
 */
import { connect, type Socket } from 'node:net';
import { type Plan, REQUEST_FACTORIES, type RequestKind } from './requests.ts';

export type Job = {
  kind: RequestKind;
  port: number;
  /** Ports of further nodes, over which the connections are spread. */
  morePorts?: readonly number[];
  connections: number;
  seconds: number;
  /** Pause between an answer and the next request, to measure an idle server. */
  pauseMillis?: number;
  /** Number of the first request. Numbers are never reused, which keeps requests below the rate limits. */
  first: number;
  /** Stops after this many requests, even if time is left. */
  requestsMax: number;
};

export type Outcome = {
  requests: number;
  seconds: number;
  /** Share of one core, 0 to 1. */
  loadBusy: number;
  /** Time from the request to the last byte, the first byte, and the first text of the answer; sorted. */
  wholeMillis: readonly number[];
  firstByteMillis: readonly number[];
  firstTextMillis: readonly number[];
};

export type FromLoad = { outcome: Outcome } | { failure: string };

const CHUNKED_END = '\r\n0\r\n\r\n';
const FIRST_TEXT = 'event: text_delta';

type Timings = { whole: number[]; firstByte: number[]; firstText: number[] };

/** One connection with one request in flight at all times, until `next` returns undefined. */
class Connection {
  readonly #done = Promise.withResolvers<void>();
  readonly #socket: Socket;
  readonly #next: () => string | undefined;
  readonly #pauseMillis: number;
  readonly #timings: Timings;
  #startedAt = 0;
  /** The bytes of an incomplete response head. */
  #partialHead: Buffer | undefined;
  #hasHead = false;
  #hasText = false;
  /** Body bytes still to come; undefined for a chunked body. */
  #bytesLeft: number | undefined;
  #tail = '';

  constructor(port: number, next: () => string | undefined, pauseMillis: number, timings: Timings) {
    this.#next = next;
    this.#pauseMillis = pauseMillis;
    this.#timings = timings;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (bytes: Buffer) => {
      try {
        this.#read(bytes);
      } catch (error) {
        this.#socket.destroy();
        this.#done.reject(error);
      }
    });
    this.#socket.on('connect', () => this.#send());
    this.#socket.on('error', this.#done.reject);
    this.#socket.on('close', () => this.#done.reject(new Error('The server closed a connection.')));
  }

  /** Resolves when `next` has no more requests. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  #send(): void {
    const request = this.#next();
    if (request === undefined) {
      this.#socket.end();
      this.#done.resolve();
      return;
    }
    this.#hasHead = false;
    this.#hasText = false;
    this.#partialHead = undefined;
    this.#tail = '';
    this.#startedAt = performance.now();
    this.#socket.write(request, 'latin1');
  }

  #finish(): void {
    this.#timings.whole.push(performance.now() - this.#startedAt);
    if (this.#pauseMillis > 0) setTimeout(() => this.#send(), this.#pauseMillis);
    else this.#send();
  }

  #read(bytes: Buffer): void {
    if (this.#hasHead) {
      this.#readBody(bytes);
      return;
    }
    if (!this.#partialHead) this.#timings.firstByte.push(performance.now() - this.#startedAt);
    const body = this.#readHead(bytes);
    if (body && (body.length > 0 || this.#bytesLeft === 0)) this.#readBody(body);
  }

  /** Returns what follows the head; undefined while the head is incomplete. */
  #readHead(bytes: Buffer): Buffer | undefined {
    const received = this.#partialHead ? Buffer.concat([this.#partialHead, bytes]) : bytes;
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#partialHead = received;
      return undefined;
    }
    const text = received.toString('latin1', 0, end);
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(explain(received.toString()));
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
    this.#bytesLeft = length === undefined ? undefined : Number(length);
    this.#hasHead = true;
    return received.subarray(end + 4);
  }

  #readBody(bytes: Buffer): void {
    if (this.#bytesLeft !== undefined) {
      this.#bytesLeft -= bytes.length;
      if (this.#bytesLeft === 0) this.#finish();
      return;
    }
    if (!this.#hasText && bytes.includes(FIRST_TEXT)) {
      this.#hasText = true;
      this.#timings.firstText.push(performance.now() - this.#startedAt);
    }
    const end = bytes.toString('latin1', Math.max(0, bytes.length - CHUNKED_END.length));
    this.#tail = (this.#tail + end).slice(-CHUNKED_END.length);
    if (this.#tail === CHUNKED_END) this.#finish();
  }
}

function explain(answer: string): string {
  if (answer.startsWith('HTTP/1.1 429')) {
    return `A rate limit was hit, so the numbers are invalid: ${answer.slice(-300)}`;
  }
  return `A response was not 200:\n${answer.slice(0, 1200)}`;
}

async function run(plan: Plan, job: Job): Promise<Outcome> {
  const { port, morePorts = [], connections, seconds, pauseMillis = 0, first, requestsMax } = job;
  const createRequest = REQUEST_FACTORIES[job.kind](plan, port);
  const ports = [port, ...morePorts];
  const timings: Timings = { whole: [], firstByte: [], firstText: [] };
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const cpuBefore = process.cpuUsage();
  let sent = 0;
  const next = () =>
    sent < requestsMax && performance.now() < endsAt ? createRequest(first + sent++) : undefined;
  await Promise.all(
    Array.from(
      { length: connections },
      (_, at) => new Connection(ports[at % ports.length]!, next, pauseMillis, timings).done,
    ),
  );
  const elapsed = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    requests: timings.whole.length,
    seconds: elapsed,
    loadBusy: (user + system) / 1e6 / elapsed,
    wholeMillis: summarize(timings.whole),
    firstByteMillis: summarize(timings.firstByte),
    firstTextMillis: summarize(timings.firstText),
  };
}

/** Sorts the values and keeps about 1,000 of them. */
function summarize(millis: number[]): number[] {
  const sorted = millis.sort((a, b) => a - b);
  const step = Math.max(1, Math.floor(sorted.length / 1000));
  return sorted.filter((_, at) => at % step === 0);
}

let plan: Plan | undefined;
process.on('message', (message: { plan: Plan } | { job: Job }) => {
  if ('plan' in message) {
    plan = message.plan;
    return;
  }
  if (!plan) throw new Error('Received a job before the plan.');
  run(plan, message.job).then(
    (outcome) => process.send?.({ outcome } satisfies FromLoad),
    (error: Error) => process.send?.({ failure: error.message } satisfies FromLoad),
  );
});
process.on('disconnect', () => process.exit());
