import type { EngineEvent, EnginePassage, EngineQuestion } from '../../server/engine/engine.ts';

/** Complete engine questions; a test overrides only the relevant parts. */

export const PASSWORD: EnginePassage = {
  articleId: 'art_password',
  revision: 3,
  title: 'Reset your password',
  text: 'Open the sign-in page and choose "Forgot password". We send a link to your e-mail address.\nThe link works for one hour 🔑 and only once.',
  url: 'https://shop.example.com/help/password',
  contentLocale: 'en',
  confidence: 0.9,
  quotes: [{ text: 'Open the sign-in page and choose "Forgot password".', start: 0, end: 51 }],
};

/** An answer without marks that PASSWORD supports, and what it quotes. */
export const GROUNDED = 'Choose "Forgot password" on the sign-in page.';
/** The beginning of a stream of which GROUNDED can be shown. */
export const BEGUN = `${GROUNDED} Then`;

export const RETURNS: EnginePassage = {
  articleId: 'art_returns',
  revision: 1,
  title: 'Return an order',
  text: 'You can return an order within thirty days. Print the return label from your order page.',
  contentLocale: 'en',
  confidence: 0.4,
  quotes: [{ text: 'You can return an order within thirty days.', start: 0, end: 43 }],
};

export function buildQuestion(change: Partial<EngineQuestion> = {}): EngineQuestion {
  return {
    text: 'How do I reset my password?',
    requestedLocale: 'en',
    replyLocale: 'en',
    likely: false,
    found: true,
    passages: [PASSWORD, RETURNS],
    nearest: [{ articleId: RETURNS.articleId, title: RETURNS.title }],
    page: {
      title: 'Account',
      url: 'https://shop.example.com/account',
      digest: 'main > h1 Account',
      selectedText: '',
      targets: [],
    },
    recentTurns: [],
    ...change,
  };
}

export const SAVE_BUTTON = { gpId: 'save', name: 'Save', role: 'button', confidence: 1, inViewport: true };

export async function collectEvents(events: AsyncIterable<EngineEvent>): Promise<EngineEvent[]> {
  const collected: EngineEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

export function joinText(events: readonly EngineEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.delta : '')).join('');
}

export function only<T extends EngineEvent['type']>(
  events: readonly EngineEvent[],
  type: T,
): Extract<EngineEvent, { type: T }>[] {
  return events.filter((event) => event.type === type) as Extract<EngineEvent, { type: T }>[];
}
