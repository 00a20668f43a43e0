import type { Generator } from './generators.ts';
import type { Tool } from './tools.ts';

/** The results of a run, as a table and as the page in docs/. */

/** The scenario prints one line of JSON per step. */
export const STEPS = ['boot', 'consent', 'stream', 'translation', 'export', 'errors'] as const;
export type Step = (typeof STEPS)[number];

export type ScenarioRun = {
  /** Results by step; a missing step has failed. */
  steps: Partial<Record<Step, string>>;
  /** Output of a scenario that failed. */
  failure?: string;
};

export type Outcome = {
  compiles: boolean;
  /** What the obvious call of `POST /chat` returns, as the first calls print it. */
  chatReturns?: string;
  /** The scenario against the service, with the client of the current document. */
  now?: ScenarioRun;
  /** The scenario against the next version, with the client of the released document. */
  next?: ScenarioRun;
  /** Output of the step that failed. */
  failures: readonly string[];
};

export type Row = { generator: Generator } & ({ outcome: Outcome } | { missing: readonly Tool[] });

const HEAD = [
  'Language',
  'Generator',
  'Version',
  'Document',
  'Compiles',
  'Obvious call of `/chat` returns',
  'Boot and consent',
  'Streams',
  'Publish a translation',
  'Export page',
  'Errors',
  'Next version',
  'Notes',
];

const INTRODUCTION = `# Generated clients

Written by \`make test-clients ALL=1\`. Every generator below creates a client from the published document (version VERSION). The client
is compiled or type-checked (where the table says \`syntax\`, only parsed), then runs one scenario against a real server: it boots the
guide, records consent, reads a streamed answer, signs in and takes a translation from draft to published, reads an export page with an
API key, and reads the error codes of a 404 and a 401 response through the generated types. Clients with \`syntax only\` are not run. \`make test-clients\` runs the generators of TypeScript, Python and Go.

"Obvious call of \`/chat\` returns" is what a first program gets that boots, asks, and reads the stream and the export with the functions
that need the least code. The other columns are of the scenario. "Streams" says whether events have generated types, and whether the client delivers them as they arrive (incremental) or only once the
answer is complete (buffered). "Next version" says whether the client of the last released document runs the same scenario against a
later version of the service: one that answers with fields and events that the document does not know, and with values that it does not
list, wherever it declares an open enum. A client has to skip events whose \`type\` it does not know, before it decodes them: the
generated unions accept only the types that they were generated with.

Signing in sets a cookie; a client without a cookie jar has to send it back as a header. Dashboard operations accept only requests with
the service's own \`Origin\`, so a program sends that header too.

For Python, Java, Kotlin, C# and PHP, generate from \`/openapi-3.0.3.yaml\`: the obvious call of \`/chat\` returns the stream as a string there, and
times in milliseconds are 64-bit integers. From 3.1, the same call declares a single event, which suits TypeScript.
`;

/** Returns the documentation page. It contains no dates or durations, so it changes only when a result does. */
export function formatPage(rows: readonly Row[], documentVersion: string): string {
  const introduction = INTRODUCTION.replace('VERSION', documentVersion);
  return `${introduction}\n${formatTable(rows)}${formatLeftOut(rows)}`;
}

export function formatTable(rows: readonly Row[]): string {
  const cells = rows.flatMap((row) => ('outcome' in row ? [toCells(row.generator, row.outcome)] : []));
  return [HEAD, HEAD.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |\n`).join('');
}

function toCells(generator: Generator, { compiles, chatReturns, now, next }: Outcome): string[] {
  const { language, name, version, document, check = 'yes', note = '' } = generator;
  const cells = [language, name, version, document, compiles ? check : 'no'];
  const first = chatReturns ?? (generator.firstCalls ? 'no' : 'not run');
  const { steps = {} } = now ?? {};
  const results = [steps.boot && steps.consent, steps.stream, steps.translation, steps.export, steps.errors];
  const nextResult = next && !next.failure ? 'yes' : undefined;
  const unknown = compiles && !generator.scenario ? 'not run' : 'no';
  return [...cells, first, ...[...results, nextResult].map((result) => result ?? unknown), note];
}

function formatLeftOut(rows: readonly Row[]): string {
  const skipped = rows.flatMap((row) =>
    'missing' in row
      ? [`- ${row.generator.language} by ${row.generator.name}: missing ${row.missing.join(' and ')}.`]
      : [],
  );
  return skipped.length > 0 ? `\nNot tested:\n\n${skipped.join('\n')}\n` : '';
}
