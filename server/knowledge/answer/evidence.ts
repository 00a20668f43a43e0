import { once } from '../../base/cache.ts';
import { CHAT_LANGUAGES } from '../../base/guide-languages.ts';
import { hasUnspacedLetters } from '../../base/text.ts';
import { hashNgrams } from '../search/tokenize.ts';
import { findPart, parseStructure, type Structure } from './blocks.ts';
import type { Span } from './lines.ts';
import { findNamedRows, type NamedRows, readTable } from './table-rows.ts';

/**
 * Evidence that a part of an article answers the question: the scores of its sentences, and the
 * overlap of its headings with the question.
 */

export type QuoteRequest = {
  title: string;
  answer: string;
  /** Sentences of the searched part of the article, in order. */
  sentences: readonly Span[];
  /** How well each sentence answers the question, 0 or more. */
  scores: readonly number[];
  question: string;
  locale: string;
};

export type Evidence = {
  structure: Structure;
  questionKind: QuestionKind;
  title: Match;
  /** Overlap of each heading with the question, by the index of the heading's unit. */
  headings: ReadonlyMap<number, number>;
  /** The rows of each table that the question names, by the index of the table's unit. */
  rows: ReadonlyMap<number, NamedRows>;
  sentences: readonly Span[];
  scores: readonly number[];
};

const SECTIONS_MATCHED_MAX = 60;
const TABLES_MATCHED_MAX = 10;

export function gatherEvidence(request: QuoteRequest): Evidence {
  const { title, answer, question, locale } = request;
  const best = findBest(request.scores, 0, request.sentences.length);
  const part = findPart(answer, request.sentences[best]?.start ?? 0);
  const isInside = ({ start, end }: Span) => start >= part.start && end <= part.end;
  const sentences = request.sentences.filter(isInside);
  const scores = request.scores.filter((_, index) => isInside(request.sentences[index]!));
  const structure = parseStructure(answer, title, part);
  const match = createNameMatcher(question, locale);
  const headings = new Map<number, number>();
  for (const { heading } of structure.sections.slice(0, SECTIONS_MATCHED_MAX)) {
    if (heading === undefined) continue;
    const { wordsStart, end } = structure.units[heading]!;
    headings.set(heading, match(answer.slice(wordsStart, end)).overlap);
  }
  return {
    structure,
    questionKind: classifyQuestion(question),
    title: match(title),
    headings,
    rows: findRows(structure, request),
    sentences,
    scores,
  };
}

function findRows({ units }: Structure, { answer, question, locale }: QuoteRequest): Map<number, NamedRows> {
  const tables = [...units.keys()].filter((at) => units[at]!.kind === 'table').slice(0, TABLES_MATCHED_MAX);
  return new Map(
    tables.map((at) => [at, findNamedRows(answer, readTable(answer, units[at]!), question, locale)]),
  );
}

/** Returns the index of the highest score in [from, to), the first of equals. */
export function findBest(scores: ArrayLike<number>, from: number, to: number): number {
  let best = from;
  for (let at = from + 1; at < to; at += 1) if (scores[at]! > scores[best]!) best = at;
  return best;
}

/** `how`: how to do something; `fact`: what, who, when, why, how much; `open`: anything else, mostly a few words. */
type QuestionKind = 'how' | 'fact' | 'open';

const getHow = once(() => buildWordPattern('asksHow'));
const getFact = once(() => buildWordPattern('asksFact'));

/** Builds a pattern of whole words of all languages; scripts without spaces have no word boundaries. */
function buildWordPattern(kind: 'asksHow' | 'asksFact'): RegExp {
  const all = [...CHAT_LANGUAGES.values()].flatMap((language) => language[kind] ?? []);
  const spaced = all.filter((word) => !hasUnspacedLetters(word)).join('|');
  const others = all.filter(hasUnspacedLetters).join('|');
  return new RegExp(`(?<![\\p{L}\\p{M}])(?:${spaced})(?![\\p{L}\\p{M}])|${others}`, 'u');
}

/**
 * Matches text whose question word may be anywhere: with a question mark, or in a language with the
 * verb at the end. Elsewhere it must come first: "Change which language you use" asks nothing.
 */
const ASKS_ANYWHERE = /[\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3?？؟]/u;

function classifyQuestion(question: string): QuestionKind {
  const text = question.normalize('NFC').toLowerCase();
  const fact = text.search(getFact());
  const how = text.search(getHow());
  if (how >= 0 && (fact < 0 || how < fact)) return 'how';
  return fact === 0 || (fact > 0 && ASKS_ANYWHERE.test(text)) ? 'fact' : 'open';
}

export type Match = {
  /** Share of the question in the text and of the text in the question, as their harmonic mean, 0..1. */
  overlap: number;
  /** Share of the text that the question repeats, 0..1. */
  repeated: number;
};

const NAME_CHARS_MAX = 400;

/** Compares by letter n-grams, so that inflected words match too. */
function createNameMatcher(question: string, locale: string): (name: string) => Match {
  let questionTerms: Set<number> | undefined;
  return (name) => {
    questionTerms ??= hashNgrams(question, locale, true);
    const terms = hashNgrams(name.slice(0, NAME_CHARS_MAX), locale);
    if (terms.size === 0 || questionTerms.size === 0) return { overlap: 0, repeated: 0 };
    let shared = 0;
    for (const term of terms) if (questionTerms.has(term)) shared += 1;
    return { overlap: (2 * shared) / (terms.size + questionTerms.size), repeated: shared / terms.size };
  };
}
