import { setTimeout as wait } from 'node:timers/promises';
import { boot, type Place, post, type Visitor } from '../campaign/service.ts';
import { ORIGIN, question } from '../harness.ts';
import { type Answer, BrokenStream, readAnswer } from './stream.ts';

/** Visitors and editors who go on through every accident, and write down what was acknowledged. */

/** A workspace, and the headers of its owner's requests. */
export type Site = Place & { readonly owner: Record<string, string> };

export type Books = {
  /** By message id. */
  readonly answers: Map<string, Answer>;
  /** The versions of the texts that visitors agreed to, each its own. */
  readonly consents: Set<string>;
  /** Titles by article and revision. */
  readonly edits: Map<string, string>;
  /** When each write was acknowledged, in milliseconds. */
  readonly acknowledgedAt: number[];
  readonly brokenStreams: string[];
  failures: number;
};

export type Load = { readonly books: Books; stop(): Promise<void> };

type Step = (site: Site, number: number) => Promise<void>;

const CLIENT_PAUSE_MILLIS = 400;
/** Two changes each: below the 120 a minute that a member has. */
const EDITOR_PAUSE_MILLIS = 2_000;
const FAILURE_PAUSE_MILLIS = 100;

let count = 0;

export function startLoad(
  baseUrl: string,
  sites: readonly Site[],
  { clients, streams }: { readonly clients: number; readonly streams: number },
): Load {
  const books: Books = {
    answers: new Map(),
    consents: new Set(),
    edits: new Map(),
    acknowledgedAt: [],
    brokenStreams: [],
    failures: 0,
  };
  let isOver = false;

  async function work(site: Site, step: Step, pauseMillis: number): Promise<void> {
    await wait(Math.random() * pauseMillis);
    while (!isOver) {
      count += 1;
      try {
        await step(site, count);
        await wait(pauseMillis);
      } catch (error) {
        if (error instanceof BrokenStream) books.brokenStreams.push(error.message);
        else books.failures += 1;
        await wait(FAILURE_PAUSE_MILLIS);
      }
    }
  }

  const acknowledge = () => books.acknowledgedAt.push(performance.now());
  const start = (many: number, step: Step, pauseMillis: number) =>
    Array.from({ length: many }, (_, at) => work(sites[at % sites.length]!, step, pauseMillis));

  const agree: Step = async (site, number) => {
    await decide(await boot({ baseUrl }, site.appId), number);
  };

  async function decide(visitor: Visitor, number: number): Promise<void> {
    const copyVersion = `failover-${number}`;
    const decision = { url: `${ORIGIN}/`, copy_version: copyVersion, at: Date.now(), decision: 'accepted' };
    const body = { visitor_id: visitor.visitor_id, ...decision };
    const response = await post({ baseUrl }, '/consent', body, { authorization: `Bearer ${visitor.jwt}` });
    if (response.status !== 200) throw new Error(await response.text());
    if (!((await response.json()) as { recorded: boolean }).recorded) throw new Error('not recorded');
    books.consents.add(copyVersion);
    acknowledge();
  }

  const converse: Step = async (site, number) => {
    const visitor = await boot({ baseUrl }, site.appId);
    // Only turns of visitors who agreed are counted.
    await decide(visitor, number);
    const answer = await readAnswer(baseUrl, visitor, question({ conversation_id: `failover-${number}` }));
    books.answers.set(answer.messageId, answer);
    acknowledge();
  };

  const edit: Step = async ({ tenantId, owner }, number) => {
    const base = `/api/tenants/${tenantId}/knowledge/articles`;
    const content = { title: `Topic ${number}`, answer: 'There is little to say.' };
    const created = await write('POST', base, content, owner);
    const { id } = created;
    const changed = { ...content, title: `${content.title} again`, baseRevision: created.revision };
    await write('PUT', `${base}/${id}`, changed, owner);
  };

  async function write(
    method: string,
    path: string,
    content: { readonly title: string },
    owner: Record<string, string>,
  ) {
    const response = await post({ baseUrl }, path, content, owner, method);
    if (!response.ok) throw new Error(await response.text());
    const article = (await response.json()) as { id: string; revision: number };
    books.edits.set(`${article.id} ${article.revision}`, content.title);
    acknowledge();
    return article;
  }

  const working = [
    ...start(clients - sites.length, agree, CLIENT_PAUSE_MILLIS),
    ...start(sites.length, edit, EDITOR_PAUSE_MILLIS),
    ...start(streams, converse, CLIENT_PAUSE_MILLIS),
  ];
  return {
    books,
    async stop() {
      isOver = true;
      await Promise.all(working);
    },
  };
}

/** The longest time in which no write was acknowledged, in milliseconds. */
export function longestPause({ acknowledgedAt }: Books, from: number, to: number): number {
  const within = acknowledgedAt.filter((at) => at > from && at < to);
  const moments = [from, ...within, to];
  return Math.max(...moments.slice(1).map((at, index) => at - moments[index]!));
}
