import { hasUnspacedLetters } from '../base/text.ts';
import type { Vector } from '../base/vector.ts';
import type { EmbedTexts, EngineQuestion, EngineTarget } from './engine.ts';
import { findPageFit, type PageFit } from './page-meaning.ts';

/**
 * Finds the part of the page that a visitor wants, by the meaning of its label and of the message. Without the model, or when
 * it is late: by words alone. Returns undefined when in doubt, because a wrong part is worse than none.
 */
export async function findTarget(
  { text, page }: Pick<EngineQuestion, 'text' | 'page'>,
  quotes: readonly string[],
  embedTexts: EmbedTexts | undefined,
): Promise<EngineTarget | undefined> {
  const targets = listDistinct(page.targets);
  if (targets.length === 0) return undefined;
  const message = { text, words: readWords(text), answer: quotes.join('\n') };
  const embedded = await embedTexts?.([text]);
  const fit = embedded && findPageFit(embedded.model);
  if (!fit) return findByWords(message, targets);
  const vector = embedded.vectors[0]!;
  if (fit.getWishOdds(vector) < 0) return undefined;
  const labels = await embedLabels(targets, embedTexts!);
  return labels ? findByMeaning(message, targets, { fit, vector, labels }) : findByWords(message, targets);
}

const LABEL_WORDS_MAX = 6;
const LABEL_CHARS_MAX = 60;
/** Bounds the time that comparing takes: embedding a label takes 5 to 8 ms, once. */
const LABELS_MAX = 32;
/** Labels that are embedded at once, so that questions of other visitors come in between. */
const BATCH_SIZE = 8;
/** The visitor waits for the labels no longer than this. */
const LABELS_WAIT_MILLIS = 400;

/** Returns the targets with different short labels, the ones in view first. */
function listDistinct(targets: readonly EngineTarget[]): readonly EngineTarget[] {
  const inOrder = [...targets].sort(
    (a, b) => Number(b.inViewport) - Number(a.inViewport) || b.confidence - a.confidence,
  );
  const distinct = new Map<string, EngineTarget>();
  for (const target of inOrder) {
    const name = target.name.trim();
    const words = readWords(name).length;
    const isLabel = words > 0 && words <= LABEL_WORDS_MAX && name.length <= LABEL_CHARS_MAX;
    if (isLabel && !distinct.has(name)) distinct.set(name, target);
  }
  return [...distinct.values()].slice(0, LABELS_MAX);
}

type Message = { text: string; words: readonly string[]; answer: string };

/** Returns the vectors of the labels; undefined when they are late. What was embedded so far is cached. */
async function embedLabels(
  targets: readonly EngineTarget[],
  embedTexts: EmbedTexts,
): Promise<readonly Vector[] | undefined> {
  const late = AbortSignal.timeout(LABELS_WAIT_MILLIS);
  const vectors: Vector[] = [];
  for (let at = 0; at < targets.length; at += BATCH_SIZE) {
    const names = targets.slice(at, at + BATCH_SIZE).map(({ name }) => name.trim());
    const embedded = late.aborted ? undefined : await embedTexts(names);
    if (!embedded) return undefined;
    vectors.push(...embedded.vectors);
  }
  return vectors;
}

/** Added to the cosine in proportion to the words of the label that the message has too. */
const SHARED_WORDS_SCORE = 0.5;
/** Added if the quoted answer tells the visitor to use the label. */
const QUOTED_SCORE = 0.5;
/** Labels of a smaller likelihood are not proposed. Chosen on the development half of eval/. */
const LIKELIHOOD_MIN = 0.35;

function findByMeaning(
  message: Message,
  targets: readonly EngineTarget[],
  { fit, vector, labels }: { fit: PageFit; vector: Vector; labels: readonly Vector[] },
): EngineTarget | undefined {
  const names = targets.map(({ name }) => name);
  const scores = scoreLabels(labels.map(fit.compareWith(vector)), message.text, names).map((score, at) =>
    isQuoted(message, names[at]!) ? score + QUOTED_SCORE : score,
  );
  const best = Math.max(...scores);
  return fit.getLikelihood(best) < LIKELIHOOD_MIN ? undefined : targets[scores.indexOf(best)];
}

/** @param cosines of the message and the labels, as `PageFit` compares them */
export function scoreLabels(cosines: readonly number[], text: string, labels: readonly string[]): number[] {
  const words = readWords(text);
  const labelWords = labels.map(readWords);
  // A word of several labels identifies none.
  const isOwn = (word: string) =>
    labelWords.filter((others) => others.some((other) => isSameWord(other, word))).length === 1;
  const distinctive = words.filter((word) => isOwn(word));
  return cosines.map(
    (cosine, at) => cosine + SHARED_WORDS_SCORE * getSharedShare(distinctive, labelWords[at]!),
  );
}

/** A message is about a label that makes up at least this share of its letters. */
const LABEL_SHARE_MIN = 0.4;

function findByWords(message: Message, targets: readonly EngineTarget[]): EngineTarget | undefined {
  const quoted = targets.find(({ name }) => isQuoted(message, name));
  return quoted ?? targets.find(({ name }) => isAbout(message, name));
}

/** Whether the message contains the whole label, and little else: a longer one may ask for a fact about it. */
function isAbout({ text, words }: Message, label: string): boolean {
  const labelWords = readWords(label);
  const isWritten = hasUnspacedLetters(label) && text.includes(label.trim());
  const share = labelWords.join('').length / words.join('').length;
  return share >= LABEL_SHARE_MIN && (isWritten || getSharedShare(words, labelWords) === 1);
}

function isQuoted({ words, answer }: Message, label: string): boolean {
  return isInstruction(answer, label, getSharedShare(words, readWords(label)) > 0);
}

/** Returns the share of the label's letters, 0..1, in words that the message has too. */
function getSharedShare(words: readonly string[], labelWords: readonly string[]): number {
  const shared = labelWords.filter((word) => words.some((other) => isSameWord(other, word)));
  return shared.join('').length / labelWords.join('').length;
}

/** Returns the words in lower case, Latin and Greek ones without accents. */
function readWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?<=[\p{sc=Latn}\p{sc=Grek}])\p{M}+/gu, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
}

const STEM_CHARS_MIN = 4;
const ENDING_CHARS_MAX = 3;

/** Whether the words are the same, or one may be an inflected form of the other. */
function isSameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const stem = short.length > STEM_CHARS_MIN ? short.slice(0, -1) : short;
  return (
    short.length >= STEM_CHARS_MIN && long.length - short.length <= ENDING_CHARS_MAX && long.startsWith(stem)
  );
}

/**
 * Whether the answer names the label as something to use: emphasized or in quotation marks, or written as on the page. A single
 * word also needs a capital letter inside a sentence, unless the question has the word too.
 */
function isInstruction(answer: string, label: string, isAskedFor: boolean): boolean {
  const name = label.trim();
  for (let at = answer.indexOf(name); at >= 0; at = answer.indexOf(name, at + 1)) {
    const before = answer.slice(Math.max(0, at - 2), at);
    const after = answer.slice(at + name.length, at + name.length + 1);
    if (!hasUnspacedLetters(name) && (/[\p{L}\p{N}]$/u.test(before) || /^[\p{L}\p{N}]/u.test(after)))
      continue;
    if (/["“„«»‘'`*_「『]$/u.test(before)) return true;
    const isInSentence = !/(?:^|[.!?:\n]\s?)$/u.test(before);
    if (isInSentence && (/\s/.test(name) || /^\p{Lu}/u.test(name) || isAskedFor)) return true;
  }
  return false;
}
