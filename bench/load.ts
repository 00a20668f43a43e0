/**
 * The load generator, run as a child process: raw keep-alive sockets that write prepared requests
 * and parse only what is needed. Receives a
 * plan, then one job after another, and reports each outcome.
 */
import { connect, type Socket } from 'node:net';

/** What the requests are made of; the jobs choose which of them are sent. */
export type Plan = {
  readonly origin: string;
  readonly appId: string;
  readonly visitors: readonly { readonly jwt: string; readonly conversationId: string }[];
  readonly questions: readonly string[];
};

export type Job = {
  readonly kind: 'boot' | 'chat';
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Between an answer and the next request; for latencies of an idle server. */
  readonly pauseMillis?: number;
  /** The first request's number: no number is sent twice, so that no limit is hit. */
  readonly first: number;
  /** Stops at this many requests, however much time is left. */
  readonly requestsMax: number;
};

export type Outcome = {
  readonly requests: number;
  readonly seconds: number;
  /** Of one core, 0 to 1. */
  readonly loadBusy: number;
  /** From the request to the last byte, the first byte, and the first text of the answer; sorted. */
  readonly wholeMillis: readonly number[];
  readonly firstByteMillis: readonly number[];
  readonly firstTextMillis: readonly number[];
};

export type FromLoad = { readonly outcome: Outcome } | { readonly failure: string };

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

function bootRequest(plan: Plan, port: number): (number: number) => string {
  const body = JSON.stringify({ app_id: plan.appId, origin: plan.origin, path: '/pricing' });
  const before = `${head('/boot', plan, port)}content-length: ${body.length}\r\nx-forwarded-for: `;
  const after = `\r\n\r\n${body}`;
  return (number) => before + addressOf(number) + after;
}

/** A new address each time, always as long as the others. */
function addressOf(number: number): string {
  const part = (divisor: number) => 100 + (Math.floor(number / divisor) % 100);
  return `198.${part(10_000)}.${part(100)}.${part(1)}`;
}

function chatRequest(plan: Plan, port: number): (number: number) => string {
  const before = head('/chat', plan, port);
  const { visitors, questions, origin } = plan;
  return (number) => {
    const visitor = visitors[number % visitors.length]!;
    const body = JSON.stringify({
      message: questions[number % questions.length],
      dom_digest: 'main > h1 Pricing\nmain > p Choose a plan\nmain > button "Start"',
      conversation_id: visitor.conversationId,
      turn_idx: Math.floor(number / visitors.length),
      url: `${origin}/pricing`,
    });
    return `${before}authorization: Bearer ${visitor.jwt}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
}

function head(path: string, plan: Plan, port: number): string {
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nuser-agent: ${AGENT}\r\naccept: */*\r\n` +
    `accept-language: en-US,en;q=0.5\r\norigin: ${plan.origin}\r\ncontent-type: application/json\r\n`
  );
}

const CHUNKED_END = '\r\n0\r\n\r\n';
const FIRST_TEXT = 'event: text_delta';

/** One connection that always has one request under way, until `next` has no more. */
function drive(
  port: number,
  next: () => string | undefined,
  pauseMillis: number,
  seen: { whole: number[]; firstByte: number[]; firstText: number[] },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let startedAt = 0;
    let start: Buffer | undefined;
    let hasHead = false;
    let hasText = false;
    /** Bytes still to come; undefined while the answer is chunked and its end is to be looked for. */
    let missing: number | undefined;
    let tail = '';

    const send = () => {
      const request = next();
      if (request === undefined) {
        socket.end();
        resolve();
        return;
      }
      hasHead = false;
      hasText = false;
      start = undefined;
      tail = '';
      startedAt = performance.now();
      socket.write(request, 'latin1');
    };
    const done = () => {
      seen.whole.push(performance.now() - startedAt);
      if (pauseMillis > 0) setTimeout(send, pauseMillis);
      else send();
    };
    const readHead = (bytes: Buffer): Buffer | undefined => {
      const whole = start ? Buffer.concat([start, bytes]) : bytes;
      const end = whole.indexOf('\r\n\r\n');
      if (end < 0) {
        start = whole;
        return undefined;
      }
      const text = whole.toString('latin1', 0, end);
      if (!text.startsWith('HTTP/1.1 200')) throw new Error(explain(whole.toString()));
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
      missing = length === undefined ? undefined : Number(length);
      hasHead = true;
      return whole.subarray(end + 4);
    };
    const readBody = (bytes: Buffer) => {
      if (!hasText && missing === undefined && bytes.includes(FIRST_TEXT)) {
        hasText = true;
        seen.firstText.push(performance.now() - startedAt);
      }
      if (missing !== undefined) {
        missing -= bytes.length;
        if (missing === 0) done();
        return;
      }
      tail = (tail + bytes.toString('latin1', Math.max(0, bytes.length - CHUNKED_END.length))).slice(
        -CHUNKED_END.length,
      );
      if (tail === CHUNKED_END) done();
    };
    socket.on('data', (bytes: Buffer) => {
      try {
        if (hasHead) return readBody(bytes);
        if (!start) seen.firstByte.push(performance.now() - startedAt);
        const body = readHead(bytes);
        if (body && (body.length > 0 || missing === 0)) readBody(body);
      } catch (error) {
        socket.destroy();
        reject(error);
      }
    });
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
  });
}

function explain(answer: string): string {
  if (answer.startsWith('HTTP/1.1 429')) {
    return `a rate limit was hit, so the numbers would mean nothing: ${answer.slice(-300)}`;
  }
  return `an answer was not 200:\n${answer.slice(0, 1200)}`;
}

async function run(plan: Plan, job: Job): Promise<Outcome> {
  const { port, connections, seconds, pauseMillis = 0, first, requestsMax } = job;
  const requestOf = job.kind === 'boot' ? bootRequest(plan, port) : chatRequest(plan, port);
  const seen = { whole: [] as number[], firstByte: [] as number[], firstText: [] as number[] };
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  const cpuBefore = process.cpuUsage();
  let sent = 0;
  const next = () =>
    sent < requestsMax && performance.now() < until ? requestOf(first + sent++) : undefined;
  await Promise.all(Array.from({ length: connections }, () => drive(port, next, pauseMillis, seen)));
  const elapsed = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    requests: seen.whole.length,
    seconds: elapsed,
    loadBusy: (user + system) / 1e6 / elapsed,
    wholeMillis: summary(seen.whole),
    firstByteMillis: summary(seen.firstByte),
    firstTextMillis: summary(seen.firstText),
  };
}

/** Sorted, and thinned where there are very many. */
function summary(millis: number[]): number[] {
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
  if (!plan) throw new Error('a job came before the plan');
  run(plan, message.job).then(
    (outcome) => process.send?.({ outcome } satisfies FromLoad),
    (error: Error) => process.send?.({ failure: error.message } satisfies FromLoad),
  );
});
process.on('disconnect', () => process.exit());
