/** Parts that no page needs before the first question; loaded after the first render. */

export { resendDenial } from '../consent-defaults.ts';
export { Actions, Citation, Feedback, Sources } from './answer-parts.tsx';
export { toMessages, toPatch } from './answers.ts';
export { Consent, Disclosure, Suggestions } from './boot-parts.tsx';
export { readHandovers } from './handovers.ts';
export { buildTurn, performAction } from './page.ts';
export { AskPerson, Handovers } from './person-parts.tsx';
export { renderText } from './text.ts';
