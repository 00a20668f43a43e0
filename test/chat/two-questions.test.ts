import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../generated/types.ts';
import { proposeSplits, splitAtQuestionMarks } from '../../server/chat/intent/split-questions.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import type { Seed } from '../support/seeds.ts';

it.each([
  ['Can I pay later? And how do I return an order?', 'how do I return an order?'],
  ['¿Cómo pago mi pedido? ¿Y cómo elimino mi cuenta?', 'cómo elimino mi cuenta?'],
  ['Πώς πληρώνω την παραγγελία; Και πότε την παραλαμβάνω;', 'πότε την παραλαμβάνω;'],
  ['送料はいくらですか？いつ届きますか？', 'いつ届きますか？'],
])('splitAtQuestionMarks splits %j', (text, second) => {
  expect(splitAtQuestionMarks(text)).toEqual([expect.any(String), second]);
});

it.each([
  'How do I return an order?',
  'Really? How do I return an order?',
  'How do I pay? How do I return it? Where is it?',
])('splitAtQuestionMarks leaves %j whole', (text) => {
  expect(splitAtQuestionMarks(text)).toBeUndefined();
});

it.each([
  ['How much is shipping, and can I pay by card?', ['How much is shipping?', 'can I pay by card?']],
  ['Wie zahle ich später und wie storniere ich das?', ['Wie zahle ich später?', 'wie storniere ich das?']],
  [
    'À quelle heure ouvre la piscine, et peut-on payer ?',
    ['À quelle heure ouvre la piscine?', 'peut-on payer ?'],
  ],
  ['My lamp is broken. Also how do I pay 3.5 euros?', ['My lamp is broken.', 'how do I pay 3.5 euros?']],
  ['كم تكلفة الشحن إلى الخارج، و أين طلبي الآن', ['كم تكلفة الشحن إلى الخارج', 'أين طلبي الآن']],
])('proposeSplits proposes for %j', (text, parts) => {
  expect(proposeSplits(text)[0]).toEqual(parts);
});

it.each([
  'how and where do I return an item',
  'How do I know what to do and how?',
  'Wie lange und wie oft muss ich laden?',
  'My order is late, I want a refund',
  'Can I pay by card and by invoice?',
])('proposeSplits leaves %j whole', (text) => {
  expect(proposeSplits(text)).toEqual([]);
});

const article = (slug: string, title: string, answer: string): Seed => ({
  ...{ slug, locale: 'en', title, answer },
});
const ARTICLES = [
  article('shipping', 'Shipping costs', 'Shipping costs four euros, and takes two days.'),
  article('payment', 'Pay with PayPal or by card', 'You can pay with PayPal or by card at the checkout.'),
  article('lamp', 'Repair a broken lamp', 'Unplug the broken lamp and change its bulb.'),
  article('points', 'Loyalty points', 'You collect points with each order. Points expire after a year.'),
];

describe('a message', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({ articles: ARTICLES });
  });
  afterAll(() => harness.close());

  async function findCited(message: string): Promise<string[]> {
    const { jwt } = await harness.boot();
    const events = await harness.ask(jwt, { message });
    const isCitation = (event: ChatEvent) => event.type === 'citation';
    return events.filter(isCitation).map(({ title }) => title);
  }

  it('with two questions gets both answers in their order', async () => {
    const both = ['Shipping costs', 'Loyalty points'];
    expect(await findCited('How much are shipping costs? And when do loyalty points expire?')).toEqual(both);
    expect(await findCited('What are the shipping costs, and do loyalty points expire?')).toEqual(both);
  });

  it.each(['Can I pay with PayPal, and also pay by card?', 'Can I pay by card and with PayPal?'])(
    'with one question and a conjunction gets one answer: %s',
    async (message) => {
      expect(await findCited(message)).toEqual(['Pay with PayPal or by card']);
    },
  );
});
