import { describe, expect, it } from 'vitest';
import { email } from '../../contract/fields.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { REQUEST_LIMITS } from '../../contract/limits/requests.ts';
import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import { parseAcceptLanguage } from '../../server/base/locale.ts';
import { toSlug } from '../../server/base/slug.ts';
import { normalizeForSearch, normalizeText as tidySetting } from '../../server/base/text.ts';
import { VisibleStream } from '../../server/base/visible-text.ts';
import { findBotQuestion } from '../../server/chat/intent/bot-question.ts';
import { normalizeQuestion } from '../../server/chat/normalize-question.ts';
import { normalizeLine, normalizeText, summarize } from '../../server/knowledge/article-content.ts';
import { readMarkdown } from '../../server/knowledge/import/markdown.ts';
import { tokenize } from '../../server/knowledge/search/tokenize.ts';
import { filterAnswer } from '../../server/sanitize/answer-filter.ts';
import { sanitizePageDigest, sanitizePageLabel, sanitizePageText } from '../../server/sanitize/page-text.ts';
import { isLinkLike, PublishedText } from '../../server/sanitize/published-text.ts';
import { canonicalizeAllowedOrigin } from '../../server/visitors/allowed-origin.ts';
import { measureCpuMillis } from '../support/cpu-time.ts';

/**
 * Milliseconds. Quadratic code takes seconds on these inputs, linear code some ten milliseconds.
 */
const MILLIS_MAX = 2_500;
const TRIES_MAX = 4;

/** Length of the inputs in characters: twice the longest message, so quadratic time shows. */
const WORDS_CHARS = CHAT_LIMITS.messageCharsMax * 2;

const published = new PublishedText([[{ title: 'Returns', text: 'Within 30 days: https://shop.example/r' }]]);
const bytes = new TextEncoder();

/** Every function that reads text of visitors or members, with its longest input. */
const READERS: Readonly<Record<string, readonly [charsMax: number, read: (text: string) => unknown]>> = {
  'a message': [CHAT_LIMITS.messageCharsMax, (text) => sanitizePageText(text, CHAT_LIMITS.messageCharsMax)],
  'a label': [CHAT_LIMITS.messageCharsMax, (text) => sanitizePageLabel(text, CHAT_LIMITS.labelCharsKept)],
  'a digest': [
    CHAT_LIMITS.digestCharsKept * 2,
    (text) => sanitizePageDigest(text, CHAT_LIMITS.digestCharsKept),
  ],
  'a question for a person': [CHAT_LIMITS.messageCharsMax, findBotQuestion],
  'a question that is counted': [CHAT_LIMITS.messageCharsMax, normalizeQuestion],
  'the words of a question': [WORDS_CHARS, (text) => tokenize(text, 'en', true)],
  'the words of a question in Vietnamese': [WORDS_CHARS, (text) => tokenize(text, 'vi', true)],
  'a search among articles': [WORDS_CHARS, (text) => normalizeForSearch(text, 'und')],
  'what streams': [20_000, (text) => new VisibleStream().push(text, true)],
  'an answer': [20_000, (text) => filterAnswer(text, published)],
  'a word that may be a link': [2_048, isLinkLike],
  'an article': [ARTICLE_LIMITS.answerCharsMax, normalizeText],
  'a title': [ARTICLE_LIMITS.answerCharsMax, normalizeLine],
  'a name made of a title': [ARTICLE_LIMITS.titleCharsMax, toSlug],
  'the beginning of an article': [ARTICLE_LIMITS.answerCharsMax, (text) => summarize(text, 'en')],
  'a file of Markdown': [
    ARTICLE_LIMITS.answerCharsMax,
    (text) => readMarkdown(bytes.encode(`---\ntitle: x\n---\n${text}`), { slug: 'x' }, 'en', Date.now()),
  ],
  'the head of a file of Markdown': [
    ARTICLE_LIMITS.answerCharsMax,
    (text) => readMarkdown(bytes.encode(`---\n"${text}`), { slug: 'x' }, 'en', Date.now()),
  ],
  'a setting': [65_536, (text) => tidySetting(text, WORKSPACE_LIMITS.ruleTextCharsMax)],
  'requested languages': [16_384, parseAcceptLanguage],
  'an origin': [REQUEST_LIMITS.urlCharsMax, (text) => canonicalizeAllowedOrigin(`https://*.${text}`)],
  'an e-mail address': [16_384, (text) => email.safeParse(text)],
};

const RUNS = [
  ...'a 1 A1 @ + ( [ < & " ` \\ - . * : :: ** a. a- a@ a? 1- 1. 12- +1 00 DE89 中 ก'.split(' '),
  ...'<a <b <!-- <script> </a ]( [a]( [[ &# :// a:// https:// www. eyJ eyJa. x= password= value= value=" sk-a sk_live_'.split(
    ' ',
  ),
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '[a]: ',
    '\n[a]: x',
    'evil.com/ ',
    '```\n',
    '\n<',
    ' \n',
    '---\n',
    '- a\n',
  ],
  ...['1 ', '0 1-', 'DE89 ', '*a ', '`a ', 'Dr. ', '12. ', 'token: ', 'are you ', 'bist du echt ', 'q=0.1,'],
  ...[' ', '\n', '\t', '\r', '\u00a0', '\u200b', '\u200d', 'a\u200d', '\ud83d', '\ufdfa', '\u0958'],
  ...['\u0334', '\u0591', '\u0301\u0334', '\u0301\u200d\u200d\u0334'],
];

const run = (piece: string, chars: number) => piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars);

describe('input crafted for slow parsing', () => {
  it.each(Object.entries(READERS))(
    'does not block the server: %s',
    async (_, [charsMax, read]) => {
      for (const piece of RUNS) {
        const whole = run(piece, charsMax);
        // Marks in non-canonical order, enclosed so that no run is at the start or the end.
        const hostile = [
          whole,
          `1${whole.slice(2)}a`,
          `1${run('\u0301', charsMax / 2)}${run(piece, charsMax / 2)}a`,
        ];
        for (const text of hostile) {
          let least = Number.POSITIVE_INFINITY;
          for (let tries = 0; tries < TRIES_MAX && least > MILLIS_MAX; tries += 1) {
            least = Math.min(least, await measureCpuMillis(() => read(text)));
          }
          expect(least, JSON.stringify(text.slice(0, 20))).toBeLessThan(MILLIS_MAX);
        }
      }
    },
    60_000,
  );
});
