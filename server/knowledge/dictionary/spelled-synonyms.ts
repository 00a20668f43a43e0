import type { SynonymEntry, Vocabulary } from './synonyms.ts';

/**
 * Synonyms as people read them, for suggestions. Stored as lines that can be searched without
 * parsing all of them: the languages, then a word per line with its synonyms, each followed by the
 * indexes of the languages that suggest it, separated by tabs.
 */
export type SpelledSynonym = { readonly spelling: string; readonly evidence: readonly string[] };

/** Fewer languages or less probability is too often chance to show it to people. */
const EVIDENCE_MIN = 2;
const PROBABILITY_MIN = 0.02;
const SYNONYMS_MAX = 3;

/** A number or a single letter is no alias; a single Han character may be. */
const ALIAS = /\p{L}{2}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u;

export function encodeSpelledSynonyms(entries: readonly SynonymEntry[], { spell }: Vocabulary): string {
  const languages = [
    ...new Set(entries.flatMap(({ synonyms }) => synonyms.flatMap(({ evidence }) => evidence))),
  ];
  const lines = entries.flatMap(({ word, synonyms }) => {
    const fields = synonyms
      .filter(
        ({ evidence, probability }) => evidence.length >= EVIDENCE_MIN && probability >= PROBABILITY_MIN,
      )
      .flatMap((synonym) => {
        const spelling = spell(synonym.word);
        if (spelling === undefined || !ALIAS.test(spelling)) return [];
        return [[spelling, synonym.evidence.map((locale) => languages.indexOf(locale)).join(' ')]];
      })
      .slice(0, SYNONYMS_MAX);
    return fields.length === 0 ? [] : [[word, ...fields.flat()].join('\t')];
  });
  return [languages.join(' '), ...lines, ''].join('\n');
}

export function findSpelledSynonyms(encoded: string, word: number): SpelledSynonym[] {
  const from = encoded.indexOf(`\n${word}\t`);
  if (from === -1) return [];
  const languages = encoded.slice(0, encoded.indexOf('\n')).split(' ');
  const fields = encoded.slice(from + 1, encoded.indexOf('\n', from + 1)).split('\t');
  const synonyms: SpelledSynonym[] = [];
  for (let at = 1; at + 1 < fields.length; at += 2) {
    const evidence = fields[at + 1]!.split(' ').map((index) => languages[Number(index)]!);
    synonyms.push({ spelling: fields[at]!, evidence });
  }
  return synonyms;
}
