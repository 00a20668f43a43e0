import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { settings } from '../server/settings/config.ts';

/**
 * Generates docs/configuration.md from the settings. With --check, only reports whether the file is stale.
 */

const file = new URL('../docs/configuration.md', import.meta.url);

function buildDocument(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const { description, fallback, kind } = describeSetting(schema as z.ZodType);
    return `| \`${name}\` | ${kind} | ${fallback} | ${description} |`;
  });
  return [
    '# Configuration',
    '',
    'Every setting is an environment variable, read and checked once at start; the server does not start with an invalid value and names it.',
    'This page is written by `make generate`.',
    '',
    '| Variable | Values | Default | Meaning |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function describeSetting(schema: z.ZodType): { description: string; fallback: string; kind: string } {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
    default?: unknown;
    enum?: string[];
    type?: string;
    minimum?: number;
    maximum?: number;
  };
  const parsed = schema.safeParse(undefined);
  const value = json.default ?? (parsed.success ? parsed.data : undefined);
  const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  return {
    description: schema.description ?? '',
    fallback: isEmpty ? 'not set' : `\`${String(value)}\``,
    kind: json.enum ? json.enum.map((value) => `\`${value}\``).join(', ') : describeType(schema, json.type),
  };
}

function describeType(schema: z.ZodType, type: string | undefined): string {
  if (type === 'integer') return 'number';
  const takes = (value: string) => schema.safeParse(value).success;
  const takesAddress = takes('https://a.example/long-enough') || takes('redis://a.example');
  return takesAddress && !takes('no-address-at-all') ? 'address' : 'text';
}

const text = buildDocument();
if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('docs/configuration.md is stale: run `make generate`\n');
  process.exitCode = 1;
}
