import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ArticleRecord } from '../../contract/articles.ts';
import type { TranslationRecord } from '../../contract/translations.ts';
import type { TranslationStatus } from '../../server/storage/translations.ts';
import { openTeam, type Team } from '../accounts/team.ts';
import type { Answer } from '../fixtures/answer.ts';
import { fc } from '../fixtures/seeded-random.ts';
import {
  addArticle,
  done,
  liveTitles,
  pathOf,
  type Step,
  served,
  translate,
  tryStep,
} from './translating.ts';

/**
 * Model-based test: several members change an article and its translation in any order. An
 * independent
 * model predicts each response, and what visitors are served afterwards.
 */

let team: Team;
beforeAll(async () => {
  team = await openTeam({ articles: [] });
});
afterAll(() => team.close());

type Model = {
  /** The content of the article: the working copy and the published part. */
  source: string;
  sourceLive: string | undefined;
  status: TranslationStatus;
  text: string;
  madeFor: string;
  live: { text: string; madeFor: string } | undefined;
};

const compared = ({ source, sourceLive }: Model) => sourceLive ?? source;
const isStale = (model: Model) => model.madeFor !== compared(model);

/** The statuses from which a step is allowed. */
const FROM: Record<Step, readonly TranslationStatus[]> = {
  edit: ['draft', 'in_review', 'changes_requested', 'approved', 'published'],
  submit: ['draft'],
  approve: ['in_review'],
  request_changes: ['in_review'],
  publish: ['approved'],
  archive: ['draft', 'in_review', 'changes_requested', 'approved', 'published'],
  restore: ['archived'],
};
const NEXT: Record<TranslationStatus, Step> = {
  draft: 'submit',
  in_review: 'approve',
  changes_requested: 'edit',
  approved: 'publish',
  published: 'edit',
  archived: 'restore',
};

/** Returns the error, or undefined after the model has applied the step. */
function expected(model: Model, step: Step, text: string): string | undefined {
  if (!FROM[step].includes(model.status)) return 'translation/not_allowed';
  if ((step === 'submit' || step === 'publish') && isStale(model)) return 'translation/stale';
  if (step === 'edit') {
    if (text === model.text && !isStale(model)) return undefined;
    Object.assign(model, { status: 'draft', text, madeFor: compared(model) });
  }
  if (step === 'submit') model.status = 'in_review';
  if (step === 'approve') model.status = 'approved';
  if (step === 'request_changes') model.status = 'changes_requested';
  if (step === 'publish') {
    Object.assign(model, { status: 'published', live: { text: model.text, madeFor: model.madeFor } });
  }
  if (step === 'archive') Object.assign(model, { status: 'archived', live: undefined });
  if (step === 'restore') model.status = 'draft';
  return undefined;
}

type Command = {
  readonly who: 'owner' | 'admin';
  readonly what: Step | 'go_on' | 'edit_same' | 'edit_source' | 'publish_source' | 'unpublish_source';
  /** Sent with an outdated revision. */
  readonly late: boolean;
  /** Sources alternate among a few texts, so changes are sometimes undone. */
  readonly version: number;
};

const command: fc.Arbitrary<Command> = fc.record({
  who: fc.constantFrom('owner', 'admin'),
  what: fc.oneof(
    { weight: 5, arbitrary: fc.constant('go_on' as const) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        ...(['edit', 'submit', 'approve', 'request_changes', 'publish', 'archive', 'restore'] as const),
      ),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        ...(['edit_same', 'edit_source', 'publish_source', 'unpublish_source'] as const),
      ),
    },
  ),
  late: fc.nat(9).map((n) => n === 0),
  version: fc.nat(2),
});

const english = (version: number) => ({ title: `Zebra ${version}`, answer: 'A zebra has stripes.' });
const german = (version: number) => ({
  title: `Zebra Fassung ${version}`,
  answer: 'Ein Zebra hat Streifen.',
});
const wrong = (revision: number) => (revision > 1 ? revision - 1 : revision + 1);
const codeOf = ({ json }: Answer) => (json as { error?: string }).error;

let liveSeen = 0;
let editions = 0;

async function play(commands: readonly Command[]): Promise<void> {
  let article = await addArticle(team, english(0));
  let translation = await translate(team.as('owner'), article.id, 'de', german(0));
  const model: Model = {
    source: english(0).title,
    sourceLive: english(0).title,
    status: 'draft',
    text: german(0).title,
    madeFor: english(0).title,
    live: undefined,
  };
  try {
    for (const next of commands) {
      // Mutations are rate-limited by member and minute.
      team.harness.clock.advance(1000);
      if (isOfSource(next)) article = await changeSource(model, article, next);
      else translation = await stepOn(model, translation, next);
      await compare(model, article, translation);
      if (model.live) liveSeen += 1;
    }
  } finally {
    await team.as('owner').delete(`/knowledge/articles/${article.id}`);
  }
  expect(await liveTitles(team, article.id)).toEqual({});
}

const isOfSource = ({ what }: Command) => what.endsWith('_source');

async function stepOn(
  model: Model,
  translation: TranslationRecord,
  { who, what, late }: Command,
): Promise<TranslationRecord> {
  const step = what === 'go_on' ? NEXT[model.status] : what === 'edit_same' ? 'edit' : (what as Step);
  editions += 1;
  const text = what === 'edit_same' ? { ...german(0), title: model.text } : german(editions);
  const base = { ...translation, revision: late ? wrong(translation.revision) : translation.revision };
  const more = step === 'edit' ? { ...text, searchAliases: [] } : {};
  const answer = await tryStep(team.as(who), step, base, more);
  const code = late ? 'translation/conflict' : expected(model, step, text.title);
  expect(codeOf(answer)).toBe(code);
  return code === undefined ? answer.json : translation;
}

async function changeSource(model: Model, article: ArticleRecord, next: Command): Promise<ArticleRecord> {
  const { who, what, late, version } = next;
  const path = `/knowledge/articles/${article.id}`;
  const baseRevision = late ? wrong(article.revision) : article.revision;
  const memberClient = team.as(who);
  const answer: Answer<ArticleRecord> =
    what === 'edit_source'
      ? await memberClient.put(path, { baseRevision, ...english(version) })
      : await memberClient.post(`${path}/${what === 'publish_source' ? 'publish' : 'unpublish'}`, {
          baseRevision,
        });
  if (late) {
    expect(codeOf(answer)).toBe('article/conflict');
    return article;
  }
  if (what === 'edit_source') model.source = english(version).title;
  else if (what === 'publish_source' ? model.sourceLive === model.source : !model.sourceLive) {
    expect(codeOf(answer)).toBe('article/not_allowed');
    return article;
  } else model.sourceLive = what === 'publish_source' ? model.source : undefined;
  return done(answer);
}

/**
 * Compares the record, what retrieval can find, and what visitors of three languages are served.
 */
async function compare(model: Model, article: ArticleRecord, { id }: TranslationRecord): Promise<void> {
  const path = pathOf({ articleId: article.id, id });
  const { status, stale, title, live } = done(await team.as('member').get<TranslationRecord>(path));
  expect({ status, stale, title, liveStale: live?.stale }).toEqual({
    status: model.status,
    stale: isStale(model),
    title: model.text,
    liveStale: model.live && model.live.madeFor !== compared(model),
  });
  const { sourceLive, live: published } = model;
  expect(await liveTitles(team, article.id)).toEqual(
    sourceLive === undefined ? {} : { en: sourceLive, ...(published && { de: published.text }) },
  );
  for (const locale of ['de-AT', 'fr']) {
    const expectedTitle = locale === 'fr' ? sourceLive : sourceLive && (published?.text ?? sourceLive);
    const hits = await served(team, 'Zebra', locale);
    expect(hits.map((hit) => hit.title)).toEqual(expectedTitle === undefined ? [] : [expectedTitle]);
  }
}

it('never serves an unapproved revision after any sequence of steps', async () => {
  await fc.assert(fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), play), {
    numRuns: 40,
  });
  // Checks that the sequences did publish, or the test would prove nothing.
  expect(liveSeen).toBeGreaterThan(20);
}, 600_000);
