import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GuideLanguage } from '../../server/base/guide-language-schema.ts';
import { CHAT_LANGUAGES, PANEL_LANGUAGES, toChatLanguage } from '../../server/base/guide-languages.ts';

const FOLDER = new URL('../../languages/guide/', import.meta.url);

/** Returns the texts of a file by their path, such as `panel.texts.open`. */
function listTexts(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  return Object.entries(value as object).flatMap(([key, each]) =>
    listTexts(each, path === '' ? key : `${path}.${key}`),
  );
}

const readFile = (name: string): unknown => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
const readTexts = (name: string) => new Map(listTexts(readFile(name)));

const english = readTexts('en.json');
const isSentence = (path: string) => /^(?:panel|chat\.phrases)\./.test(path);
const listPlaceholders = (text = '') => (text.match(/\{\w+\}/g) ?? []).sort();

/** Some words are the same, such as "Guide" in Danish. */
const SAME_TEXTS_MAX = 4;

describe('a language of the guide', () => {
  it.each(readdirSync(FOLDER))('is complete: %s', (name) => {
    expect(GuideLanguage.safeParse(readFile(name)).error?.issues ?? []).toEqual([]);
    const texts = readTexts(name);
    const tag = name.slice(0, -'.json'.length);
    expect(new Intl.Locale(tag).baseName).toBe(tag);
    for (const [path, text] of texts) {
      expect(text, path).toBe(text.trim());
      if (isSentence(path)) expect(listPlaceholders(text), path).toEqual(listPlaceholders(english.get(path)));
    }
    const same = [...texts].filter(([path, text]) => isSentence(path) && text === english.get(path));
    if (tag !== 'en') expect(same.length, `${same}`).toBeLessThanOrEqual(SAME_TEXTS_MAX);
    for (const section of [
      'panel.texts',
      'panel.helpCentre',
      'panel.consent',
      'chat.phrases',
      'chat.examples',
    ]) {
      const keys = (of: Map<string, string>) =>
        new Set(
          [...of.keys()].filter((path) => path.startsWith(`${section}.`)).map((path) => path.split('.')[2]),
        );
      if (keys(texts).size > 0) expect(keys(texts), section).toEqual(keys(english));
    }
  });

  it('has the narrow space of French before its double punctuation', () => {
    const files = ['guide/fr.json', 'dashboard/fr.json', 'mail/fr.json'].map((name) => `../${name}`);
    const texts = files.flatMap((name) => listTexts(readFile(name)));
    // Examples are what visitors type.
    const shown = texts.filter(([path]) => !/^chat\.(?!phrases)/.test(path));
    const wrong = shown.filter(([, text]) => /[ \u00a0][:;?!»%]|«[ \u00a0]/.test(text));
    expect(wrong).toEqual([]);
  });

  it('answers messages wherever it has a panel', () => {
    for (const tag of PANEL_LANGUAGES.keys())
      if (!tag.startsWith('en')) expect(toChatLanguage(tag), tag).not.toBe('en');
  });

  it('compiles its patterns of the question whether the guide is a person', () => {
    for (const [tag, { botQuestion }] of CHAT_LANGUAGES)
      for (const pattern of botQuestion?.patterns ?? [])
        expect(
          () => new RegExp(pattern.replaceAll('{being}', botQuestion?.being ?? ''), 'u'),
          tag,
        ).not.toThrow();
  });
});
