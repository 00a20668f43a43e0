import { z } from 'zod';
import { consentDecision } from './consent.ts';
import { articleId, locale, moment, regionCode } from './fields.ts';

/**
 * What the analytics of a workspace answer, to the dashboard and to an export alike: every field is a single word, so
 * that it is the same in either casing. Everything but `unanswered` is counted from the event rows.
 */
export const ANALYTICS = {
  daysDefault: 28,
  daysMax: 400,
  /** For periods of an hour. */
  hourDaysMax: 31,
  /** Of each of the lists that could go on without end. */
  rowsMax: 100,
  questionCharsMax: 300,
} as const;

/** 31 days of hours, and some more where clocks change. */
const PERIODS_MAX = 800;

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ example: 12 });
const millis = z.int().min(0).max(100_000_000).meta({ example: 240 });

export const zone = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_+/-]*$/)
  .describe('A time zone by its IANA name; days and hours are cut in it.')
  .meta({ example: 'Europe/Berlin' });

export const periodLength = z.enum(['day', 'hour']).meta({
  id: 'AnalyticsPeriodLength',
  description: 'How long a period is, on the clocks of the time zone.',
});

export const actionFigures = z
  .strictObject({
    proposed: count.describe('Actions that the guide proposed.'),
    confirmed: count.describe(
      'Outcomes that say the visitor let it happen: done, missing and failed together.',
    ),
    declined: count.describe('Outcomes that say the visitor declined.'),
    done: count.describe('Outcomes that say the action was carried out.'),
    missing: count.describe('Outcomes that say the target was no longer on the page.'),
    failed: count.describe('Outcomes that say the action was tried in vain.'),
  })
  .meta({
    id: 'ActionFigures',
    description: 'Proposed actions and what pages reported of them. An outcome counts when it is reported.',
  });

export const feedbackFigures = z
  .strictObject({
    up: count.describe('Ratings that say an answer helped.'),
    down: count.describe('Ratings that say it did not.'),
  })
  .meta({ id: 'FeedbackFigures', description: 'Ratings as they were given, a changed one once more.' });

export const latencyFigures = z
  .strictObject({
    p50: millis.describe('Half of the answers began within this many milliseconds.'),
    p90: millis.describe('Nine of ten answers began within this many milliseconds.'),
    p99: millis.describe('99 of 100 answers began within this many milliseconds.'),
  })
  .meta({
    id: 'LatencyFigures',
    description: 'Milliseconds from the question to the first text: exact up to 100, within 1 % above.',
  });

const figures = {
  boots: count.describe('Pages on which the guide started.'),
  visitors: count.describe(
    'Different visitors among the rows that name one: exact up to 65,536, within about 1 % above.',
  ),
  conversations: count.describe('Conversations whose first turn was finished.'),
  turns: count.describe('Turns whose answer was finished.'),
  answered: count.describe('Finished turns that ended with an answer: reason stop or length.'),
  unanswered: count.describe('Finished turns that ended without one, for want of knowledge or as a refusal.'),
  citations: count.describe('Sources that answers cited.'),
  actions: actionFigures.describe('Proposed actions and what became of them.'),
  feedback: feedbackFigures.describe('What visitors thought of answers.'),
  voice: z.number().min(0).max(1e12).describe('Seconds of voice that were used.').meta({ example: 90 }),
  limited: count.describe('Rows about requests beyond a rate limit: one for each limit, visitor and minute.'),
  latency: latencyFigures.optional().describe('Absent where no answer had a first text.'),
};

export const analyticsFigures = z
  .strictObject(figures)
  .meta({ id: 'AnalyticsFigures', description: 'What is counted of a stretch of time.' });

export const analyticsPeriod = z
  .strictObject({
    start: moment.describe('When it begins; it ends where the next one begins, the last one at `to`.'),
    ...figures,
  })
  .meta({
    id: 'AnalyticsPeriod',
    description: 'A day or an hour of the time zone, cut where the range begins and ends.',
  });

const citedArticle = z
  .strictObject({
    article: articleId.describe('The article, which may have been deleted since.'),
    locale: locale.describe('The language of the text that was cited.'),
    citations: count.describe('How often it was cited.'),
  })
  .meta({ id: 'CitedArticle', description: 'How often the text of an article in one language was cited.' });

const fallbackCount = z
  .strictObject({
    reason: z
      .string()
      .max(64)
      .regex(/^[a-z_]+$/)
      .describe('Why a cited text was not in the language that was asked for.')
      .meta({ example: 'source_article' }),
    count: count.describe('How many citations fell back for this reason.'),
  })
  .meta({ id: 'FallbackCount', description: 'Citations in another language than the one asked for.' });

const consentCount = z
  .strictObject({
    region: regionCode,
    mode: z
      .string()
      .max(16)
      .regex(/^[a-z_]+$/)
      .describe('The consent mode that the decision answered: opt_in, opt_out or notice.')
      .meta({ example: 'opt_in' }),
    decision: consentDecision.describe('What the visitor, or the browser, decided.'),
    count: count.describe('How many such decisions were counted.'),
  })
  .meta({
    id: 'ConsentCount',
    description: 'Consent decisions of one kind. Refusals leave no event row, so that none is counted.',
  });

const unansweredQuestion = z
  .strictObject({
    question: z
      .string()
      .max(ANALYTICS.questionCharsMax)
      .describe('The question as it was asked last, cut at 300 characters.')
      .meta({ example: 'Do you ship to Norway?' }),
    count: count.describe('How often it was asked.'),
    last: moment.describe('When it was asked last.'),
  })
  .meta({
    id: 'UnansweredQuestion',
    description: 'A question without an answer; case, spaces and punctuation make no difference.',
  });

const limitHits = z
  .strictObject({
    bucket: z
      .string()
      .max(64)
      .describe('The limit, by the name that it is published under.')
      .meta({ example: 'chat/visitor-burst' }),
    count: count.describe('How many rows there are about it.'),
  })
  .meta({ id: 'LimitHits', description: 'How often a rate limit was hit.' });

const top = <T extends z.ZodType>(row: T) => z.array(row).max(ANALYTICS.rowsMax);

export const analytics = z
  .strictObject({
    from: moment.describe('The first moment that is counted.'),
    to: moment.describe('The end of what is counted; this moment itself is not.'),
    zone,
    by: periodLength.describe('What the periods are.'),
    totals: analyticsFigures.describe('What is counted of the whole range.'),
    previous: analyticsFigures.describe('The equally long time before, to compare with.'),
    periods: z
      .array(analyticsPeriod)
      .max(PERIODS_MAX)
      .describe('Every day or hour of the range, oldest first, those without events too.'),
    articles: top(citedArticle).describe('What was cited most, the most cited first; at most 100.'),
    fallbacks: top(fallbackCount).describe('Citations in another language than asked for, by reason.'),
    consents: top(consentCount).describe('Consent decisions by region and mode, the most frequent first.'),
    unanswered: top(unansweredQuestion).describe(
      'What the guide could not answer, the most frequent first; at most 100. Only conversations that may be kept.',
    ),
    hits: top(limitHits).describe('Rate limits that were hit, the most frequent first.'),
  })
  .meta({ id: 'Analytics', description: 'What happened in a workspace, in figures.' });

export type Analytics = z.infer<typeof analytics>;
export type AnalyticsFigures = z.infer<typeof analyticsFigures>;
