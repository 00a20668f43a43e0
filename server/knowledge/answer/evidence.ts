import { hasUnspacedLetters } from '../../base/text.ts';
import { createTermBuffer, hashTerms, tokenize } from '../search/tokenize.ts';
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

const FACT = buildWordPattern(
  // Asks how much or how long, although "how" alone asks for a procedure.
  'how many, how much, how long, how often, how old, how far, how big, how large, how fast, how high, how tall, how expensive',
  'wie viel, wie viele, wieviel, wie lange, wie oft, wie alt, wie weit, wie groß, wie hoch, wie teuer, wie heißt',
  'hoeveel, hoe lang, hoe vaak, hoe oud, hoe groot, hoe duur, hur många, hur mycket, hur länge, hur ofta, hur stor, hur gammal',
  'hvor mange, hvor meget, hvor mye, hvor lenge, hvor længe, hvor ofte, kuinka monta, kuinka paljon, kuinka kauan, kuinka usein',
  'jak długo, jak często, jak dużo, jak dlouho, jak často, как долго, как часто, як довго, як часто, πόσο, πόσα, πόσοι, πόσες',
  'combien, cuánto, cuánta, cuántos, cuántas, cuanto, quanto, quanta, quanti, quante, quantos, quantas, cât, câte, câți, kaç, ne kadar',
  'сколько, скільки, ile, kolik, كم, چند, כמה, कितना, कितने, कितनी, bao nhiêu, bao lâu, เท่าไร, เท่าไหร่, กี่, 多少, 几个, 多久, 多长, 何個, いくつ, いくら, 얼마, 몇',
  // What, who, when, which, why.
  'what is, what are, what was, what were, what does, what kind, what type, who, whose, when, which, why',
  'was ist, was sind, was war, was bedeutet, wer, wann, welche, welcher, welches, warum, weshalb, wat is, wat zijn, wie is, wanneer, welke, waarom',
  "qu'est, qu’est, quel, quelle, quels, quelles, qui, quand, pourquoi, qué es, qué son, qué significa, quién, cuándo, cuál, cuáles, por qué",
  'o que é, o que são, quem, quando, qual, quais, por que, che cosa, cosa è, chi, quale, quali, perché, ce este, ce sunt, cine, când, care, de ce',
  'vad är, vem, när, vilken, vilka, vilket, varför, hvad er, hva er, hvem, hvornår, når, hvilken, hvorfor, mikä, kuka, milloin, miksi',
  'co to, czym jest, kto, kiedy, który, która, które, dlaczego, co je, kdo, kdy, který, která, které, proč',
  'что такое, кто, когда, какой, какая, какие, какое, почему, що таке, хто, коли, який, яка, які, чому, τι είναι, ποιος, ποια, ποιο, πότε, γιατί',
  'nedir, kim, ne zaman, hangi, neden, niçin, ما هو, ما هي, من هو, متى, لماذا, چیست, کیست, کی, کدام, چرا, מה זה, מהו, מהי, מי, מתי, איזה, איזו, למה, מדוע',
  'क्या है, कौन, कब, क्यों, là gì, ai, khi nào, tại sao, vì sao, คืออะไร, ใคร, เมื่อไร, เมื่อไหร่, ทำไม',
  'where is, where are, where does, wo ist, wo sind, où est, où sont, où se, dónde está, dónde están, onde está, onde ficam, dove è, dove sono',
  'waar is, waar zijn, var är, hvor er, gdzie jest, gdzie są, kde je, где, де, πού είναι, nerede, कहाँ, أين, کجا, איפה, ở đâu, ที่ไหน, どこ, 哪里, 在哪, 어디',
  '什么是, 是什么, 谁, 何时, 什么时候, 哪个, 哪些, 为什么, とは, だれ, 誰, いつ, どの, なぜ, どうして, 무엇, 누구, 언제, 어느, 왜, apa itu, siapa, kapan, mengapa',
);

const HOW = buildWordPattern(
  'how, what do i do, what should i do, what can i do, where do i, where can i, steps to, guide to, instructions',
  'wie, anleitung, wo kann ich, was tun, comment, que faire, où puis-je, cómo, como, come, hoe, hur, hvordan, miten, kuinka, hogyan',
  'jak, как, як, πώς, πως, nasıl, cum, làm thế nào, làm sao, cách, อย่างไร, ยังไง, วิธี, कैसे, كيف, طريقة, چگونه, چطور, איך, כיצד',
  '如何, 怎么, 怎麼, 怎样, 方法, 步骤, どうやって, どうすれば, どのように, 方法, やり方, 手順, 어떻게, 방법, bagaimana, cara',
);

/** Builds a pattern of whole words; scripts without spaces have no word boundaries. */
function buildWordPattern(...lines: readonly string[]): RegExp {
  const all = lines.flatMap((line) => line.split(', '));
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
  const fact = text.search(FACT);
  const how = text.search(HOW);
  if (how >= 0 && (fact < 0 || how < fact)) return 'how';
  return fact === 0 || (fact > 0 && ASKS_ANYWHERE.test(text)) ? 'fact' : 'open';
}

export type Match = {
  /** Share of the question in the text and of the text in the question, as their harmonic mean, 0..1. */
  overlap: number;
  /** Share of the text that the question repeats, 0..1. */
  repeated: number;
};

const buffer = createTermBuffer();

function toTerms(text: string, locale: string, isQuery: boolean): Set<number> {
  const units = tokenize(text, locale, isQuery);
  hashTerms(buffer, units, 0, units.length);
  return new Set(buffer.ngrams.subarray(0, buffer.ngramCount));
}

const NAME_CHARS_MAX = 400;

/** Compares by letter n-grams, so that inflected words match too. */
function createNameMatcher(question: string, locale: string): (name: string) => Match {
  let questionTerms: Set<number> | undefined;
  return (name) => {
    questionTerms ??= toTerms(question, locale, true);
    const terms = toTerms(name.slice(0, NAME_CHARS_MAX), locale, false);
    if (terms.size === 0 || questionTerms.size === 0) return { overlap: 0, repeated: 0 };
    let shared = 0;
    for (const term of terms) if (questionTerms.has(term)) shared += 1;
    return { overlap: (2 * shared) / (terms.size + questionTerms.size), repeated: shared / terms.size };
  };
}
