import type { CitationEvent } from '@guidepost/client';
import type { FORM_LABELS } from './form-labels.ts';
import type { ActionOutcome, GuideFailure } from './state.ts';

const OUTCOMES: Readonly<Record<ActionOutcome, string>> = {
  done: 'Done.',
  target_missing: 'This is no longer on the page.',
  failed: 'This did not work.',
  declined: 'Not done.',
  expired: 'This offer has expired. Please ask again.',
};

const FAILURES: Readonly<Record<string, string>> = {
  network: 'The guide cannot be reached.',
  timeout: 'The guide cannot be reached.',
  interrupted: 'The answer was interrupted.',
  microphone: 'The microphone is not available.',
  unsupported: 'This browser cannot do that.',
};

/** Everything that the components say by themselves, but for the form that is loaded later. */
export const LABELS = {
  conversation: 'Conversation',
  you: 'You',
  guide: 'Guide',
  question: 'Your question',
  placeholder: 'Ask a question…',
  send: 'Send',
  stop: 'Stop',
  retry: 'Try again',
  stopped: 'Stopped.',
  connecting: 'Connecting…',
  searching: 'Searching…',
  writing: 'Writing…',
  source: ({ index, title }: CitationEvent): string => `Source ${index}: ${title}`,
  sources: 'Sources',
  readArticle: 'Read the article',
  helpful: 'Was this helpful?',
  askPerson: 'Ask a person',
  yourMessage: 'Your message',
  messageSent: 'Your message has been sent.',
  teamAnswered: 'The team answered',
  yes: 'Yes',
  no: 'No',
  thanks: 'Thank you.',
  suggestions: 'Suggestions',
  notNow: 'Not now',
  outcome: (outcome: ActionOutcome): string => OUTCOMES[outcome],
  consent: {
    granted: 'You agreed to be remembered.',
    denied: 'You are not remembered.',
    failed: 'Your choice could not be saved. Please try again.',
  },
  listen: 'Speak',
  stopListening: 'Stop listening',
  failure: ({ code, retryAfterSeconds }: GuideFailure): string => {
    if (code === 'rate_limit/exceeded')
      return `Too many questions. Please try again in ${retryAfterSeconds ?? 60} seconds.`;
    return FAILURES[code] ?? 'Something went wrong.';
  },
};

/** Pass `labels` to `Guide.Root` to replace some. */
export type GuideLabels = typeof LABELS & typeof FORM_LABELS;
