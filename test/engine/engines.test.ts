import { describe, expect, it } from 'vitest';
import { createExtractiveEngine } from '../../server/engine/extractive.ts';
import { openEngine } from '../../server/engine/open-engine.ts';
import { findTarget } from '../../server/engine/page-target.ts';
import { describeEngine, type OpenedEngine } from './engine.suite.ts';
import { openFakeModel } from './fake-model/fake-model.ts';
import { buildQuestion } from './questions.ts';

const ANSWER =
  'Open the sign-in page. [[1|Open the sign-in page and choose "Forgot password"]] The link lasts an hour [[1|The link works for one hour]].';

async function openLlm(
  prepare: (fake: Awaited<ReturnType<typeof openFakeModel>>) => void,
): Promise<OpenedEngine> {
  const fake = await openFakeModel();
  prepare(fake);
  const { engine, close } = await openEngine(fake.settings(), { now: Date.now });
  return {
    engine,
    async close() {
      close();
      await fake.close();
    },
  };
}

describeEngine('the engine that quotes', async () => ({ engine: createExtractiveEngine(), close() {} }));
describeEngine('the engine that writes', () => openLlm((fake) => fake.says(ANSWER)));
describeEngine('the engine that writes, in crumbs', () =>
  openLlm((fake) => fake.says(ANSWER, { chunkSize: 1 })),
);
describeEngine('the engine that writes, whose model is down', () => openLlm((fake) => fake.errors(500)));

const LABELS = [
  'Sign out',
  'Promo code',
  'Basket',
  'Save',
  'Search',
  'Sound',
  'My tea club',
  'Einstellungen',
  '设置',
];

function find(text: string, replyLocale = 'en', quotes: readonly string[] = []): string | undefined {
  const targets = LABELS.map((name) => ({
    gpId: name,
    name,
    role: 'button',
    confidence: 1,
    inViewport: true,
  }));
  const page = { ...buildQuestion().page, targets };
  return findTarget({ text, replyLocale, page }, quotes)?.name;
}

describe('findTarget', () => {
  it.each([
    ['en', 'how do i log out', 'Sign out'],
    ['en', 'Where do I enter my coupon?', 'Promo code'],
    ['en', 'Which button signs me out?', 'Sign out'],
    ['en', 'where is my cart', 'Basket'],
    ['en', 'Where can I change the volume?', 'Sound'],
    ['de', 'Wo gebe ich den Gutschein ein?', 'Promo code'],
    ['de', 'Wie melde ich mich ab?', 'Sign out'],
    ['fr', 'Où est mon panier ?', 'Basket'],
    ['es', '¿Cómo cierro la sesión?', 'Sign out'],
    ['ru', 'Где корзина?', 'Basket'],
    ['ar', 'أين سلة المشتريات؟', 'Basket'],
    ['ja', 'ログアウトするにはどうすればいいですか', 'Sign out'],
    ['zh', '设置在哪里？', '设置'],
    ['en', 'Where are the settings?', 'Einstellungen'],
  ])('finds what "%s: %s" asks for: %s', (locale, text, label) => {
    expect(find(text, locale)).toBe(label);
  });

  it('finds the label that the quoted answer names', () => {
    const quotes = ['1. Open **My tea club** in your account.\n2. Press Pause.'];
    expect(find('Where do I pause my parcels?', 'en', quotes)).toBe('My tea club');
    expect(find('Why did my parcels pause?', 'en', quotes)).toBeUndefined();
  });

  it.each([
    ['en', 'Do you save my card number?'],
    ['en', 'Who invented sound recording?'],
    ['en', 'What does the word Sound come from?'],
    ['en', 'How do I search for a parcel that is lost?'],
    ['en', 'Why was my promo code refused?'],
    ['de', 'Warum ist mein Gutschein ungültig?'],
  ])('points at nothing for "%s: %s", which only shares a word with a label', (locale, text) => {
    expect(find(text, locale)).toBeUndefined();
  });
});
