/** Synthetic help articles and questions about them, the same in every run. */

export type BenchArticle = {
  slug: string;
  title: string;
  answer: string;
  aliases: readonly string[];
};

const ACTIONS = (
  'add change remove export import print share archive restore rename merge split schedule cancel approve reject ' +
  'assign copy move lock unlock download upload filter sort translate publish hide verify reset renew pause resume ' +
  'connect disconnect invite forward track refund duplicate'
).split(' ');

const THINGS = (
  'invoice address, delivery note, payment method, gift card, return label, customer record, price list, purchase order, ' +
  'shipping zone, tax number, discount code, product photo, stock level, warehouse shelf, supplier contract, team member, ' +
  'access role, report template, mailing list, newsletter form, bank account, credit limit, service ticket, repair booking, ' +
  'loyalty card, spare part, size chart, barcode sheet, backup copy, audit trail, opening hour, holiday calendar, ' +
  'contact form, cookie notice, search filter, product review, wish list, pickup point, courier route, packing list, ' +
  'quality check, expense claim, travel plan, training course, meeting room, phone extension, voice message, chat window, ' +
  'screen theme, keyboard shortcut'
).split(', ');

const PLACES = (
  'settings page, order overview, account menu, sidebar, toolbar, dashboard, profile page, billing section, ' +
  'inventory view, history tab, details panel, calendar view'
).split(', ');

const PEOPLE =
  'owner, administrator, accountant, warehouse lead, shop assistant, auditor, partner, supplier'.split(', ');

const REASONS = (
  'when the season ends, after a complaint, before the books are closed, once the parcel has left, while the shop is ' +
  'closed, if the customer asks for it, as soon as the payment arrives, whenever a supplier changes, during the yearly ' +
  'review, after the trial period'
).split(', ');

const EFFECTS = (
  'Nothing is lost and the earlier state stays in the history. The change is visible to everybody within a minute. ' +
  'Open carts keep the old value until they are paid. A confirmation goes to the address on file. ' +
  'The entry turns grey until somebody confirms it. Reports of closed months are not touched. ' +
  'Linked documents follow at midnight. The mobile application shows it after the next start.'
)
  .split('. ')
  .map((sentence) => (sentence.endsWith('.') ? sentence : `${sentence}.`));

const SYLLABLES = 'ba ce di fo gu ka le mi no pu ra se ti vo wu xa ye zi do fe'.split(' ');

export function benchArticles(count: number): BenchArticle[] {
  const random = seededRandom(count);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  return Array.from({ length: count }, (_, at) => {
    const action = ACTIONS[at % ACTIONS.length]!;
    const thing = THINGS[Math.floor(at / ACTIONS.length + at) % THINGS.length]!;
    const product = Array.from({ length: 3 }, () => pick(SYLLABLES)).join('');
    const place = pick(PLACES);
    const sentences = [
      `To ${action} the ${thing}, open the ${place} and choose "${capital(action)}" beside the ${thing}.`,
      `Only the ${pick(PEOPLE)} and the ${pick(PEOPLE)} may ${action} the ${thing} ${pick(REASONS)}.`,
      `In the ${capital(product)} edition the button stands in the ${pick(PLACES)} under ${pick(THINGS)}.`,
      pick(EFFECTS),
      `People often ${pick(ACTIONS)} the ${pick(THINGS)} at the same time, ${pick(REASONS)}.`,
      `The ${pick(PLACES)} shows who did it, and ${pick(PEOPLE)} and ${pick(PEOPLE)} are told ${pick(REASONS)}.`,
      pick(EFFECTS),
    ];
    return {
      slug: `bench-${at}`,
      title: `${capital(action)} the ${thing}`,
      answer: sentences.join(' '),
      aliases: [`${thing} ${action}`],
    };
  });
}

/** Returns questions, of which nine of ten are answered by an article whose title is phrased differently. */
export function benchQuestions(count: number, articles: number): string[] {
  return Array.from({ length: count }, (_, number) => {
    const at = (number * 37) % articles;
    const action = ACTIONS[at % ACTIONS.length]!;
    const thing = THINGS[Math.floor(at / ACTIONS.length + at) % THINGS.length]!;
    if (number % 10 === 9)
      return `Which planet has the most moons, and does ${SYLLABLES[number % 20]}zoq orbit it?`;
    if (number % 3 === 0) return `How do I ${action} the ${thing}?`;
    if (number % 3 === 1) return `Where can our ${PEOPLE[number % PEOPLE.length]} ${action} the ${thing}?`;
    return `I would like to ${action} my ${thing} today, what do I have to do?`;
  });
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Returns the same numbers in every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
