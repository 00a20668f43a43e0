import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as routes from '../../generated/routes.ts';

const CLIENT = new URL('../../client/', import.meta.url);

/** The script tag sends it by itself, and nobody else has anything to report. */
const OF_THE_SCRIPT_TAG = ['reportBlockedPage'];

test('the client has a call for every operation of the contract', () => {
  const files = readdirSync(CLIENT).filter((name) => name.endsWith('.ts'));
  const source = files.map((name) => readFileSync(new URL(name, CLIENT), 'utf8')).join('\n');
  const missing = Object.keys(routes).filter((operation) => !new RegExp(`\\b${operation}\\b`).test(source));
  expect(missing.filter((operation) => !OF_THE_SCRIPT_TAG.includes(operation))).toEqual([]);
});
