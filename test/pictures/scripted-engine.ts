import type { Engine, EngineEvent } from '../../server/engine/engine.ts';

/** Replaces a language model: answers with typical Markdown, slowly, or not at all. */

const text = (delta: string): EngineEvent => ({ type: 'text', delta });
const end: EngineEvent = {
  type: 'end',
  finishReason: 'stop',
  confidence: 1,
  usage: { inputTokens: 0, outputTokens: 0 },
};

/** The answers to questions. Their links lead to the site, because the service removes other links. */
const listAnswers = (site: string): Readonly<Record<string, string>> => ({
  'How do I connect my calendar?': `You connect a calendar in three steps:

1. Open **Settings**, then *Accounts*.
2. Choose your provider:
   - Google or Microsoft: sign in there and allow access.
   - Any other: enter the address of its CalDAV server, such as \`${site}/dav\`.
3. Press **Connect**. The first synchronisation takes a minute.

### If it does not connect

Check the address in a terminal:

\`\`\`
curl --include --location ${site}/.well-known/caldav --user ada --silent
HTTP/1.1 301 Moved Permanently
\`\`\`

A server that answers with \`401\` wants another password. [All providers and their addresses](${site}/help/calendars) are in the manual.`,
  'Which plans are there?': `There are two:

| | Solo | Team |
| --- | --- | --- |
| People | 1 | from 3 |
| Projects | 5 | as many as you like |
| Storage | 1 GB | 100 GB |
| Shared inbox | – | included |

You can change the plan at any time; what you have paid is counted.`,
});

export const scriptedEngine: Engine = {
  name: 'scripted',
  costsTokens: true,
  async *answer({ text: question, page }, signal) {
    if (question === 'slow') {
      yield text('You will find your invoices under **Billing**. Each');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      return;
    }
    if (question === 'thinking')
      return await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    if (question === 'broken') {
      yield text('You will find your invoices under **Billing**. Each');
      throw new Error('The engine broke.');
    }
    yield text(listAnswers(new URL(page.url).origin)[question] ?? 'I know nothing about that.');
    yield end;
  },
};
