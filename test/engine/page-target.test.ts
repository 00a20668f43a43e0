import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findTarget } from '../../server/engine/page-target.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import type { Seed } from '../support/seeds.ts';
import { buildQuestion } from './questions.ts';

const toTarget = (name: string) => ({ gpId: name, name, role: 'button', confidence: 1, inViewport: true });

async function findByWords(text: string, labels: readonly string[], quotes: readonly string[] = []) {
  const page = { ...buildQuestion().page, targets: labels.map(toTarget) };
  return (await findTarget({ text, page }, quotes, undefined))?.name;
}

const LABELS = ['Sign out', 'Promo code', 'Basket', 'Save', 'Sound', 'My tea club', 'Einstellungen', '设置'];

describe('parts of the page, by words alone', () => {
  it.each([
    ['Where is my basket?', 'Basket'],
    ['how do I sign out', 'Sign out'],
    ['Wo sind die Einstellungen?', 'Einstellungen'],
    ['设置在哪里？', '设置'],
  ])('are found if "%s" is about little else than the label "%s"', async (text, label) => {
    expect(await findByWords(text, LABELS)).toBe(label);
  });

  it('are found if the quoted answer says to use them', async () => {
    const quotes = ['1. Open **My tea club** in your account.\n2. Press Pause.'];
    expect(await findByWords('Wo halte ich die Pakete an?', LABELS, quotes)).toBe('My tea club');
    expect(await findByWords('Wo halte ich die Pakete an?', LABELS)).toBeUndefined();
  });

  it.each([
    'Do you save my card number?',
    'Who invented sound recording?',
    'What does the word Sound come from?',
    'Why was my promo code refused?',
    'Where can I change the volume?',
    'Warum ist mein Gutschein ungültig?',
  ])('are not proposed for "%s"', async (text) => {
    expect(await findByWords(text, LABELS)).toBeUndefined();
  });
});

describe('parts of the page, when the model is late', () => {
  it('are found by words', async () => {
    const page = { ...buildQuestion().page, targets: LABELS.map(toTarget) };
    const late = async () => undefined;
    expect((await findTarget({ text: 'Where is my basket?', page }, [], late))?.name).toBe('Basket');
    expect(await findTarget({ text: 'Where can I change the volume?', page }, [], late)).toBeUndefined();
  });
});

const ARTICLES: readonly Seed[] = [
  {
    slug: 'hours',
    locale: 'en',
    title: 'Opening hours',
    answer: 'The shop opens at nine and closes at six.',
  },
];
const ACCOUNT = ['My orders', 'Delivery address', 'Phone number', 'Language', 'Opening hours', 'Sign out'];
const KONTO = ['Meine Bestellungen', 'Lieferadresse', 'Telefonnummer', 'Sprache', 'Abmelden'];

describe('parts of the page, by meaning', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({ articles: ARTICLES, env: { EMBEDDINGS: 'on' } });
  });
  afterAll(() => harness.close());

  /** Asks the service; a busy machine may need several attempts until the model answers in time. */
  async function pointAt(message: string, labels: readonly string[]): Promise<string | undefined> {
    // A pause after questions that were answered too late ends.
    harness.clock.advance(31_000);
    const bbox = { x: 20, y: 20, width: 160, height: 30 };
    const targets = labels.map((name) => ({
      ...{ gp_id: name, selector: `#${labels.indexOf(name)}`, role: 'button', name },
      ...{ viewport_bbox: bbox, document_bbox: bbox, confidence: 0.9, in_viewport: true },
    }));
    const { jwt } = await harness.boot();
    const events = await harness.ask(jwt, { message, capture_context: { targets } });
    return events.find((event) => event.type === 'action')?.label;
  }

  it.each([
    ['en', 'which button logs me out', ACCOUNT, 'Sign out'],
    ['en', 'where does my mobile number go', ACCOUNT, 'Phone number'],
    ['en', 'show me what I have ordered', ACCOUNT, 'My orders'],
    ['de', 'Wo melde ich mich ab?', KONTO, 'Abmelden'],
    ['fr', 'Où changer l’adresse où vous livrez ?', ACCOUNT, 'Delivery address'],
    ['es', '¿Dónde pongo mi número de teléfono?', ACCOUNT, 'Phone number'],
    ['ja', '言語はどこで変えられますか', ACCOUNT, 'Language'],
    ['ru', 'Где мои заказы?', ACCOUNT, 'My orders'],
  ])('are found for "%s: %s"', async (_language, message, labels, label) => {
    await expect.poll(() => pointAt(message, labels), { timeout: 20_000 }).toBe(label);
  });

  it('are not proposed when the message asks for a fact', async () => {
    // The model is ready.
    await expect
      .poll(() => pointAt('which button logs me out', ACCOUNT), { timeout: 20_000 })
      .toBe('Sign out');
    expect(await pointAt('Which language is the oldest in the world?', ACCOUNT)).toBeUndefined();
    expect(await pointAt('Who invented the phone number?', ACCOUNT)).toBeUndefined();
    expect(await pointAt('Quelle langue parlent vos vendeurs ?', ACCOUNT)).toBeUndefined();
    expect(await pointAt('Gebt ihr meine Telefonnummer an andere weiter?', KONTO)).toBeUndefined();
  });

  it('are not proposed if none is what the visitor wants', async () => {
    expect(await pointAt('Where can I cancel my gym membership?', ACCOUNT)).toBeUndefined();
    expect(await pointAt('wo kann ich den Hintergrund dunkel machen', KONTO)).toBeUndefined();
  });
});
