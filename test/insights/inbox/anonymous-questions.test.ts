import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GERMANY, type Visitor } from '../../support/decisions.ts';
import type { Team } from '../../support/team.ts';
import {
  accept,
  analyticsOf,
  deny,
  KNOWN,
  openShop,
  sendMessage,
  UNKNOWN,
  visit,
} from '../../support/visitor-actions.ts';

type Listed = {
  kept: boolean;
  data: {
    question: string;
    asked: number;
    locale: string;
    path: string;
    lastAskedAt: string;
    nearestArticleId?: string;
  }[];
};

const GPC = { 'sec-gpc': '1' };
const DAY = 86_400_000;

let team: Team;
let undecided: Visitor;
beforeEach(async () => {
  team = await openShop();
  undecided = await visit(team, GERMANY);
});
afterEach(() => team.close());

const list = async () => (await team.as('member').get<Listed>('/anonymous-questions')).json;
const keepWords = (anonymousQuestions: boolean) =>
  team.as('admin').patch('', { retention: { anonymousQuestions } });
/** Sessions of members end before the questions do. */
const stored = () => team.harness.service.store.in(team.workspace.id).inbox.anonymousQuestions(100);
/** Lets turns see changed settings. */
const settle = () => team.harness.clock.advance(1_001);
async function wait(millis: number): Promise<void> {
  team.harness.clock.advance(millis);
  await team.harness.service.tick();
}

describe('unanswered questions without a visitor', () => {
  it('are counted by page, language and closest article, whether words are kept or not', async () => {
    await sendMessage(team, undecided, 'c1', UNKNOWN);
    await sendMessage(team, undecided, 'c2', 'Can I pay with cowrie shells?');
    await sendMessage(team, undecided, 'c3', KNOWN);
    const { anonymous, unanswered } = await analyticsOf(team);
    expect(anonymous).toMatchObject({
      unanswered: 2,
      pages: [{ path: expect.stringMatching(/^\//), count: 2 }],
      languages: [{ locale: expect.any(String), count: 2 }],
    });
    expect(unanswered).toEqual([]);
    expect(await list()).toEqual({ kept: false, data: [] });
  });

  it('are not counted for visitors who agreed, refused or send a privacy signal, nor for programs', async () => {
    await keepWords(true);
    settle();
    const agreed = await visit(team, GERMANY);
    await accept(team, agreed);
    const refused = await visit(team, GERMANY);
    await deny(team, refused);
    const program = await visit(team, { ...GERMANY, 'user-agent': 'axios/1.7.7' });
    for (const visitor of [agreed, refused, program]) await sendMessage(team, visitor, 'c1', UNKNOWN);
    await sendMessage(team, undecided, 'c2', UNKNOWN, {}, GPC);
    expect((await analyticsOf(team)).anonymous).toEqual({
      unanswered: 0,
      pages: [],
      languages: [],
      articles: [],
    });
    expect((await list()).data).toEqual([]);
  });

  it('are listed most frequent first once a workspace keeps their words, which are masked', async () => {
    await sendMessage(team, undecided, 'c0', 'Who won the 1954 world cup?');
    await keepWords(true);
    settle();
    await sendMessage(team, undecided, 'c1', UNKNOWN);
    await sendMessage(team, undecided, 'c2', `${UNKNOWN.toUpperCase()} !`);
    await sendMessage(
      team,
      undecided,
      'c3',
      'Do you sell whales to jane.doe@example.com or +49 170 1234567?',
    );
    await sendMessage(team, undecided, 'c4', KNOWN);
    const { kept, data } = await list();
    expect(kept).toBe(true);
    expect(data.map(({ asked }) => asked)).toEqual([2, 1]);
    expect(data[0]!.question.toLowerCase()).toContain('submarines');
    expect(data[1]!.question).toMatch(/^Do you sell whales to /);
    expect(JSON.stringify(data)).not.toMatch(/jane|1234567|1954/);
    expect(data[0]).toMatchObject({ path: expect.stringMatching(/^\//), locale: expect.any(String) });
    // The hour alone, so that no time leads to a conversation.
    expect(data[0]!.lastAskedAt).toMatch(/:00:00\.000Z$/);
  });

  it('are neither exported nor archived, and other workspaces do not see them', async () => {
    await keepWords(true);
    settle();
    await sendMessage(team, undecided, 'c1', UNKNOWN);
    expect((await list()).data).toHaveLength(1);
    expect((await team.as('owner').get('/export')).text).not.toMatch(/submarines/i);
    const elsewhere = `/api/tenants/${team.elsewhere.id}/anonymous-questions`;
    expect((await team.as('stranger').get<Listed>(elsewhere)).json.data).toEqual([]);
  });

  it('are deleted after 30 days', async () => {
    await keepWords(true);
    settle();
    await sendMessage(team, undecided, 'c1', UNKNOWN);
    await wait(29 * DAY);
    expect(await stored()).toHaveLength(1);
    await wait(2 * DAY);
    expect(await stored()).toEqual([]);
  });

  it('are deleted within an hour when the workspace stops keeping them', async () => {
    await keepWords(true);
    settle();
    await sendMessage(team, undecided, 'c1', UNKNOWN);
    expect(await stored()).toHaveLength(1);
    await keepWords(false);
    await wait(3_600_000);
    expect(await stored()).toEqual([]);
    expect((await list()).kept).toBe(false);
  });
});
