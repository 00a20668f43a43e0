import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { ArticleRecord } from '../../contract/articles.ts';
import type { TranslationDetail, TranslationRecord } from '../../contract/translations.ts';
import type { TranslationStatus } from '../../server/storage/translations.ts';
import type { TestResponse } from '../support/response.ts';
import { type MemberClient, openTeam, type Team } from '../support/team.ts';

/** Creates and changes articles and translations as members of a workspace do. */

export let team: Team;

/** Opens a workspace without articles. Each test begins a minute later, because members may change only so much in a minute. */
export function aTeamWithoutArticles(): void {
  beforeAll(async () => {
    team = await openTeam({ articles: [] });
  });
  afterAll(() => team.close());
  beforeEach(() => team.harness.clock.advance(61_000));
}

export type Text = {
  title: string;
  answer: string;
  searchAliases?: readonly string[];
};

export const ENGLISH = {
  title: 'Gift wrapping',
  answer: 'We wrap gifts for two euros. Choose it at the checkout.',
};
export const GERMAN: Text = {
  title: 'Geschenkverpackung',
  answer: 'Wir verpacken Geschenke für zwei Euro. Wählen Sie das an der Kasse.',
  searchAliases: ['einpacken'],
};

export const ACTIONS = {
  submit: 'submit-review',
  approve: 'review',
  request_changes: 'review',
  publish: 'publish',
  archive: 'archive',
  restore: 'restore',
} as const;
export type Step = 'edit' | keyof typeof ACTIONS;
export const STEPS: readonly Step[] = ['edit', ...(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[])];

type Named = { id: string; articleId: string };
type AtRevision = Named & { revision: number };

export const pathOf = ({ articleId, id }: Named) => `/knowledge/articles/${articleId}/translations/${id}`;

/** Creates a published article, or a draft. */
export async function addArticle(
  team: Team,
  text: { title: string; answer: string; url?: string } = ENGLISH,
  published = true,
): Promise<ArticleRecord> {
  const owner = team.as('owner');
  const created = expectOk(await owner.post<ArticleRecord>('/knowledge/articles', text));
  return published ? publishArticle(team, created) : created;
}

export async function publishArticle(team: Team, { id, revision }: ArticleRecord): Promise<ArticleRecord> {
  const path = `/knowledge/articles/${id}/publish`;
  return expectOk(await team.as('owner').post<ArticleRecord>(path, { baseRevision: revision }));
}

/** Edits the article and publishes the edit. */
export async function changeArticle(team: Team, id: string, answer: string): Promise<ArticleRecord> {
  const owner = team.as('owner');
  const { revision: baseRevision, title } = expectOk(
    await owner.get<ArticleRecord>(`/knowledge/articles/${id}`),
  );
  const edit = { baseRevision, title, answer };
  return publishArticle(team, expectOk(await owner.put<ArticleRecord>(`/knowledge/articles/${id}`, edit)));
}

export function requestTranslation(
  memberClient: MemberClient,
  articleId: string,
  locale: string,
  text: Text = GERMAN,
): Promise<TestResponse<TranslationRecord>> {
  return memberClient.post(`/knowledge/articles/${articleId}/translations`, { locale, ...text });
}

export async function translate(
  memberClient: MemberClient,
  articleId: string,
  locale = 'de',
  text: Text = GERMAN,
): Promise<TranslationRecord> {
  return expectOk(await requestTranslation(memberClient, articleId, locale, text));
}

/** Requests a step; `more` adds fields to the body beside the revision. */
export function tryStep(
  memberClient: MemberClient,
  step: Step,
  translation: AtRevision,
  more: object = {},
): Promise<TestResponse<TranslationRecord>> {
  const base = { baseRevision: translation.revision };
  if (step === 'edit') {
    const text = { ...GERMAN, title: `${GERMAN.title} ${translation.revision}` };
    return memberClient.put(pathOf(translation), { ...base, ...text, ...more });
  }
  const body = {
    approve: { decision: 'approve' },
    request_changes: { decision: 'request_changes', reviewNote: 'Bitte freundlicher.' },
  };
  const stepFields = step in body ? body[step as keyof typeof body] : {};
  return memberClient.post(`${pathOf(translation)}/${ACTIONS[step]}`, { ...base, ...stepFields, ...more });
}

export async function takeStep(
  memberClient: MemberClient,
  step: Step,
  translation: AtRevision,
  more: object = {},
): Promise<TranslationRecord> {
  return expectOk(await tryStep(memberClient, step, translation, more));
}

const STEPS_TO: Readonly<Record<TranslationStatus, readonly Step[]>> = {
  draft: [],
  in_review: ['submit'],
  changes_requested: ['submit', 'request_changes'],
  approved: ['submit', 'approve'],
  published: ['submit', 'approve', 'publish'],
  archived: ['archive'],
};

/** Takes a draft to the given status. */
export async function bringTo(
  status: TranslationStatus,
  memberClient: MemberClient,
  draft: TranslationRecord,
): Promise<TranslationRecord> {
  let translation = draft;
  for (const step of STEPS_TO[status]) translation = await takeStep(memberClient, step, translation);
  expect(translation.status).toBe(status);
  return translation;
}

/** Returns the body, and fails the test when the response is an error. */
export function expectOk<Json>({ status, json, text }: TestResponse<Json>): Json {
  if (status !== 200 && status !== 201) throw new Error(`HTTP ${status}: ${text}`);
  return json;
}

type Hit = {
  title: string;
  translationId?: string;
  requestedLocale: string;
  contentLocale: string;
  fallbackReason?: string;
};

/** Returns what a visitor who prefers this locale is served. */
export async function readServed(team: Team, question: string, locale: string): Promise<readonly Hit[]> {
  const query = new URLSearchParams({ q: question, locale });
  return expectOk(await team.as('member').get<{ data: Hit[] }>(`/knowledge/search?${query}`)).data;
}

/** Returns everything that retrieval can find of an article: titles by locale. */
export async function liveTitles(
  { harness, workspace }: Team,
  articleId: string,
): Promise<Readonly<Record<string, string>>> {
  const { passages } = harness.service.store.in(workspace.id);
  const variants = await passages.liveVariants([articleId]);
  const loaded = await passages.load(variants.map(({ passageId }) => passageId));
  return Object.fromEntries(loaded.map(({ locale, title }) => [locale, title]));
}

export const readTranslation = async (team: Team, translation: TranslationRecord) =>
  expectOk(await team.as('member').get<TranslationDetail>(pathOf(translation)));
