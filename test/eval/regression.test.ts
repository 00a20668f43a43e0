import { beforeAll, describe, expect, it } from 'vitest';
import { conversations } from '../../eval/conversations.ts';
import { detectLanguage } from '../../eval/language.ts';
import { runConversations } from '../../eval/run.ts';
import { formatTable, sumScores, type TurnScore } from '../../eval/scoring.ts';

/**
 * Results of the extractive engine for every conversation. Changes may improve them but not worsen
 * them.
 */

describe('conversations with the extractive engine', () => {
  let scores: readonly TurnScore[];
  beforeAll(async () => {
    scores = await runConversations({});
  });

  it('cover many languages, some without an answer', () => {
    expect(conversations.length).toBeGreaterThanOrEqual(20);
    expect(new Set(conversations.map(({ locale }) => locale.split('-')[0])).size).toBeGreaterThanOrEqual(8);
    expect(scores.filter(({ declinedCorrectly }) => declinedCorrectly !== undefined).length).toBeGreaterThan(
      5,
    );
  });

  it('are answered, cited and declined at least as well as before', () => {
    const { answered, citedCorrectly, declinedCorrectly, languageCorrect } = sumScores(scores);
    const table = formatTable(scores);
    expect(answered[0], table).toBeGreaterThanOrEqual(22);
    expect(citedCorrectly[0], table).toBeGreaterThanOrEqual(20);
    expect(declinedCorrectly[0], table).toBe(declinedCorrectly[1]);
    expect(languageCorrect[0], table).toBe(languageCorrect[1]);
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
    expect(detectLanguage(text)).toBe(language);
  });
});
