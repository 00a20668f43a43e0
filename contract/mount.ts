import { z } from 'zod';
import { LIMITS } from './limits.ts';

/** Where on a site the guide appears. */

export const mountMode = z.enum(['shown', 'hidden', 'opened']).meta({
  id: 'MountMode',
  description:
    'What a page shows: the launcher (`shown`), nothing (`hidden`), or the open guide (`opened`). `opened` means `shown` for ' +
    'visitors who have refused consent, and on small screens.',
});

export const pathSuggestions = z
  .array(
    z
      .string()
      .min(1)
      .max(LIMITS.titleCharsMax)
      .regex(/\S/)
      .describe('A suggested first question. Not empty.')
      .meta({ example: 'Which plan do I need?' }),
  )
  .max(LIMITS.pathRuleSuggestionsMax);

export const pathRule = z
  .strictObject({
    pattern: z
      .string()
      .min(1)
      .max(LIMITS.pathPatternCharsMax)
      .regex(/^[/*]/)
      .describe(
        'Paths of pages, as a URLPattern pathname: text, `*` for anything, `:name` for one segment, `{…}?` for an optional ' +
          'part. At most six wildcards; regular expressions and repeated groups are refused. Case-sensitive.',
      )
      .meta({ example: '/checkout{/*}?' }),
    mode: mountMode.describe('What pages with such a path show.'),
    suggestions: pathSuggestions
      .optional()
      .describe("Suggested questions on these pages. If absent, the workspace's."),
  })
  .meta({
    id: 'PathRule',
    description: 'What some pages of a site show. The first rule that matches applies.',
  });

export const pathRules = z.array(pathRule).max(LIMITS.pathRulesMax);

export const mount = z
  .strictObject({
    mode: mountMode.describe('What the page of this boot shows, by its `path`. `shown` if no rule matches.'),
    suggestions: z
      .array(
        z
          .string()
          .max(LIMITS.titleCharsMax)
          .describe('A suggested first question.')
          .meta({ example: 'Which plan do I need?' }),
      )
      .max(LIMITS.suggestionsMax)
      .describe('Suggested questions to show on this page before the first message.'),
    rules: pathRules.describe(
      'All rules in order, so that a single-page application can resolve another path without a new boot.',
    ),
  })
  .meta({ id: 'Mount', description: 'How the guide appears on a page.' });
