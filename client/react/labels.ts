import type { CitationEvent } from '@guidepost/client';
import type { ActionOutcome, GuideFailure } from './state.ts';

/** Everything that the components say by themselves. Pass `labels` to `Guide.Root` to replace some. */
export type GuideLabels = {
  conversation: string;
  you: string;
  guide: string;
  question: string;
  placeholder: string;
  send: string;
  stop: string;
  retry: string;
  stopped: string;
  connecting: string;
  searching: string;
  writing: string;
  source: (citation: CitationEvent) => string;
  sources: string;
  readArticle: string;
  helpful: string;
  yes: string;
  no: string;
  thanks: string;
  suggestions: string;
  notNow: string;
  outcome: (outcome: ActionOutcome) => string;
  consent: { granted: string; denied: string; failed: string };
  listen: string;
  stopListening: string;
  failure: (failure: GuideFailure) => string;
};

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

export const LABELS: GuideLabels = {
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
  source: ({ index, title }) => `Source ${index}: ${title}`,
  sources: 'Sources',
  readArticle: 'Read the article',
  helpful: 'Was this helpful?',
  yes: 'Yes',
  no: 'No',
  thanks: 'Thank you.',
  suggestions: 'Suggestions',
  notNow: 'Not now',
  outcome: (outcome) => OUTCOMES[outcome],
  consent: {
    granted: 'You agreed to be remembered.',
    denied: 'You are not remembered.',
    failed: 'Your choice could not be saved. Please try again.',
  },
  listen: 'Speak',
  stopListening: 'Stop listening',
  failure: ({ code, retryAfterSeconds }) => {
    if (code === 'rate_limit/exceeded')
      return `Too many questions. Please try again in ${retryAfterSeconds ?? 60} seconds.`;
    return FAILURES[code] ?? 'Something went wrong.';
  },
};
