import { beforeAll, describe, expect, it } from 'vitest';
import { conversations } from '../../eval/conversations.ts';
import { tableOf, totalsOf, type Verdict } from '../../eval/judge.ts';
import { languageOf } from '../../eval/language.ts';
import { runConversations } from '../../eval/run.ts';

/**
 * Results of the extractive engine for every conversation. Changes may improve them but not worsen
 * them.
 */

describe('conversations with the extractive engine', () => {
  let verdicts: readonly Verdict[];
  beforeAll(async () => {
    verdicts = await runConversations({});
  });

  it('cover many languages, some without an answer', () => {
    expect(conversations.length).toBeGreaterThanOrEqual(20);
    expect(new Set(conversations.map(({ locale }) => locale.split('-')[0])).size).toBeGreaterThanOrEqual(8);
    expect(verdicts.filter(({ refusedRightly }) => refusedRightly !== undefined).length).toBeGreaterThan(5);
  });

  it('are answered, cited and declined at least as well as before', () => {
    const { answered, citedRightly, refusedRightly, languageRight } = totalsOf(verdicts);
    const table = tableOf(verdicts);
    expect(answered[0], table).toBeGreaterThanOrEqual(22);
    expect(citedRightly[0], table).toBeGreaterThanOrEqual(20);
    expect(refusedRightly[0], table).toBe(refusedRightly[1]);
    expect(languageRight[0], table).toBe(languageRight[1]);
  });
});

describe('detecting the language of a text', () => {
  it.each([
    ['en', 'Open the menu and choose the item.'],
    ['de', 'Öffnen Sie das Menü und wählen Sie den Eintrag.'],
    ['es', 'Abra el menú y elija la opción.'],
    ['fr', 'Ouvrez le menu et choisissez une option.'],
    ['pt', 'Abra o menu e escolha uma opção.'],
    ['ru', 'Откройте меню Wi-Fi.'],
    ['fa', 'منو را باز کنید.'],
    ['ja', 'メニューを開きます。'],
    ['zh', '打开菜单。'],
  ])('detects %s', (language, text) => {
    expect(languageOf(text)).toBe(language);
  });
});
