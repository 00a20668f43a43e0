import { z } from 'zod';
import { consentDecision } from './consent.ts';
import { articleId, locale, moment, regionCode } from './fields.ts';

/**
 * Analytics of a workspace, shared by the dashboard and the export. Field names are single words,
 * so they are the same in snake_case
 * and camelCase. Everything except `unanswered` is counted from events.
 */
export const ANALYTICS = {
  daysDefault: 28,
  daysMax: 400,
  /** Maximum range when counting by hour. */
  hourDaysMax: 31,
  /** Maximum length of lists. */
  rowsMax: 100,
  questionCharsMax: 300,
} as const;

/** 31 days of hours, plus daylight-saving changes. */
const PERIODS_MAX = 800;

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ example: 12 });
const millis = z.int().min(0).max(100_000_000).meta({ example: 240 });

export const zone = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_+/-]*$/)
  .describe('IANA time zone that days and hours are counted in.')
  .meta({ example: 'Europe/Berlin' });

export const periodLength = z.enum(['day', 'hour']).meta({
  id: 'AnalyticsPeriodLength',
  description: 'Length of a period, in the given time zone.',
});

export const actionFigures = z
  .strictObject({
    proposed: count.describe('Actions that the guide proposed.'),
    confirmed: count.describe(
      'Reported outcomes where the visitor accepted the action: done, missing and failed.',
    ),
    declined: count.describe('Reported outcomes where the visitor declined the action.'),
    done: count.describe('Reported outcomes where the action was carried out.'),
    missing: count.describe('Reported outcomes where the target was no longer on the page.'),
    failed: count.describe('Reported outcomes where the action failed.'),
  })
  .meta({
    id: 'ActionFigures',
    description: 'Proposed actions and their outcomes. An outcome is counted when the page reports it.',
  });

export const feedbackFigures = z
  .strictObject({
    up: count.describe('Ratings that found an answer helpful.'),
    down: count.describe('Ratings that found an answer unhelpful.'),
  })
  .meta({ id: 'FeedbackFigures', description: 'Ratings given. A changed rating counts again.' });

export const latencyFigures = z
  .strictObject({
    p50: millis.describe('50th percentile.'),
    p90: millis.describe('90th percentile.'),
    p99: millis.describe('99th percentile.'),
  })
  .meta({
    id: 'LatencyFigures',
    description:
      'Time from the question to the first text, in milliseconds. Exact up to 100, within 1 % above.',
  });

const figures = {
  boots: count.describe('Times the guide started on a page.'),
  visitors: count.describe('Distinct visitors. Exact up to 65,536, within about 1 % above.'),
  conversations: count.describe('Conversations with at least one finished turn.'),
  turns: count.describe('Turns with a finished answer.'),
  answered: count.describe('Turns that ended with an answer (finish reason `stop` or `length`).'),
  unanswered: count.describe(
    'Turns that ended without an answer (finish reason `no_knowledge` or `refusal`).',
  ),
  citations: count.describe('Sources that answers cited.'),
  actions: actionFigures.describe('Proposed actions and their outcomes.'),
  feedback: feedbackFigures.describe("Visitors' ratings of answers."),
  voice: z.number().min(0).max(1e12).describe('Seconds of voice used.').meta({ example: 90 }),
  limited: count.describe('Times a rate limit was exceeded, at most one per limit, visitor and minute.'),
  latency: latencyFigures.optional().describe('Absent if no answer had text.'),
};

export const analyticsFigures = z
  .strictObject(figures)
  .meta({ id: 'AnalyticsFigures', description: 'Totals of a period.' });

export const analyticsPeriod = z
  .strictObject({
    start: moment.describe(
      'Start of the period. It ends where the next period begins, the last one at `to`.',
    ),
    ...figures,
  })
  .meta({
    id: 'AnalyticsPeriod',
    description: 'One day or hour of the range in the given time zone. The first and last may be partial.',
  });

const citedArticle = z
  .strictObject({
    article: articleId.describe('Id of the article. It may have been deleted since.'),
    locale: locale.describe('Language of the cited text.'),
    citations: count.describe('Number of citations.'),
  })
  .meta({ id: 'CitedArticle', description: 'Citations of one article in one language.' });

const fallbackCount = z
  .strictObject({
    reason: z
      .string()
      .max(64)
      .regex(/^[a-z_]+$/)
      .describe('Why the cited text was not in the requested language.')
      .meta({ example: 'source_article' }),
    count: count.describe('Number of citations with this reason.'),
  })
  .meta({ id: 'FallbackCount', description: 'Citations that were not in the requested language.' });

const consentCount = z
  .strictObject({
    region: regionCode,
    mode: z
      .string()
      .max(16)
      .regex(/^[a-z_]+$/)
      .describe('Consent mode at decision time: `opt_in`, `opt_out` or `notice`.')
      .meta({ example: 'opt_in' }),
    decision: consentDecision.describe("Decision of the visitor or of the browser on the visitor's behalf."),
    count: count.describe('Number of decisions.'),
  })
  .meta({
    id: 'ConsentCount',
    description: 'Consent decisions by mode and region. Denials leave no event and are not counted.',
  });

const unansweredQuestion = z
  .strictObject({
    question: z
      .string()
      .max(ANALYTICS.questionCharsMax)
      .describe('The question as last asked, truncated to 300 characters.')
      .meta({ example: 'Do you ship to Norway?' }),
    count: count.describe('How often the question was asked.'),
    last: moment.describe('When the question was last asked.'),
  })
  .meta({
    id: 'UnansweredQuestion',
    description:
      'An unanswered question. Similar questions are grouped, ignoring case, spaces and punctuation.',
  });

const limitHits = z
  .strictObject({
    bucket: z.string().max(64).describe('Name of the rate limit.').meta({ example: 'chat/visitor-burst' }),
    count: count.describe('Number of events.'),
  })
  .meta({ id: 'LimitHits', description: 'How often a rate limit was exceeded.' });

const top = <T extends z.ZodType>(row: T) => z.array(row).max(ANALYTICS.rowsMax);

export const analytics = z
  .strictObject({
    from: moment.describe('Start of the range, inclusive.'),
    to: moment.describe('End of the range, exclusive.'),
    zone,
    by: periodLength.describe('Length of the periods.'),
    totals: analyticsFigures.describe('Totals of the whole range.'),
    previous: analyticsFigures.describe('Totals of the previous range of the same length, for comparison.'),
    periods: z
      .array(analyticsPeriod)
      .max(PERIODS_MAX)
      .describe('Every day or hour of the range, oldest first, including empty ones.'),
    articles: top(citedArticle).describe('Most cited articles, at most 100.'),
    fallbacks: top(fallbackCount).describe('Citations that were not in the requested language, by reason.'),
    consents: top(consentCount).describe('Consent decisions by region and mode, most frequent first.'),
    unanswered: top(unansweredQuestion).describe(
      'Most frequent unanswered questions, at most 100, from visitors who agreed to storage.',
    ),
    hits: top(limitHits).describe('Exceeded rate limits, most frequent first.'),
  })
  .meta({ id: 'Analytics', description: 'Analytics of a workspace.' });

export type Analytics = z.infer<typeof analytics>;
export type AnalyticsFigures = z.infer<typeof analyticsFigures>;
