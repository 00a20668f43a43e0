import { type Generator, LEFT_OUT } from './generators.ts';
import type { Tool } from './toolchains.ts';
import type { Outcome } from './walking.ts';

export type Row = { readonly generator: Generator } & (
  | { readonly outcome: Outcome }
  | { readonly missing: readonly Tool[] }
);

const HEAD = [
  'Language',
  'Generator',
  'Version',
  'Document',
  'Compiles',
  'Boot, consent',
  'Streams',
  'A translation goes live',
  'Export page',
  'Errors',
  'To know',
];

const INTRODUCTION = `# Generated clients

Written by \`make test-clients\`, not by hand. Each generator makes a client of the published document (version VERSION); the client is
compiled or type-checked, and then walks through a real server: it boots the guide, records consent, reads a streamed answer to its
end, signs in and takes a translation from draft to live, reads a page of an export with an API key, and reads the code of two
refusals (404 and 401) through the generated type.

"Streams" says whether the events are read through generated types, and whether they can be read as they come or only when the
answer is whole. Sign-in sets a cookie; a client that keeps no cookies sends it back as a header. The dashboard's operations answer
only to the service's own \`Origin\`, which a program sends as a header too, and \`POST /boot\` turns away user agents that say they
are robots, as the standard names of most HTTP libraries do: send one of your own.
`;

/** The page of the documentation. It says nothing that changes when nothing has changed. */
export function pageOf(rows: readonly Row[], documentVersion: string): string {
  const introduction = INTRODUCTION.replace('VERSION', documentVersion);
  return `${introduction}\n${tableOf(rows)}\n${leftOut(rows)}`;
}

export function tableOf(rows: readonly Row[]): string {
  const ran = rows.flatMap((row) => ('outcome' in row ? [cellsOf(row.generator, row.outcome)] : []));
  return [HEAD, HEAD.map(() => '---'), ...ran].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function cellsOf(generator: Generator, { compiles, steps }: Outcome): string[] {
  const { language, name, version, document, note } = generator;
  const bootAndConsent = steps.boot && steps.consent;
  const results = [bootAndConsent, steps.stream, steps.translation, steps.export, steps.errors];
  return [
    ...[language, name, version, `\`${document}\``, compiles ? 'yes' : 'no'],
    ...results.map((result) => result ?? 'no'),
    note ?? '',
  ];
}

function leftOut(rows: readonly Row[]): string {
  const absent = rows.flatMap((row) =>
    'missing' in row
      ? [
          `- ${row.generator.language} by ${row.generator.name}: this machine lacks ${row.missing.join(' and ')}.`,
        ]
      : [],
  );
  const known = LEFT_OUT.map(({ language, name, why }) => `- ${language} by ${name}: ${why}.`);
  return `Left out:\n\n${[...absent, ...known].join('\n')}\n`;
}
