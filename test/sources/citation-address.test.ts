import { expect, it } from 'vitest';
import { findAddress, toPageMark, withoutAddresses } from '../../server/knowledge/answer/lines.ts';
import { summarize } from '../../server/knowledge/article-content.ts';

const URL_OF_PAGE = 'https://shop.example/returns';
const TEXT = [
  'First of all, keep the box.',
  `## [Steps](${URL_OF_PAGE}#steps)`,
  'Send the parcel back.',
  '### Gifts',
  'Gifts too.',
  '## [Others](https://other.example/#x)',
  'Ask them.',
].join('\n\n');

it.each([
  ['First of all, keep the box.', URL_OF_PAGE],
  ['Send the parcel back.', `${URL_OF_PAGE}#steps`],
  [`## [Steps](${URL_OF_PAGE}#steps)\n\nSend`, `${URL_OF_PAGE}#steps`],
  ['Gifts too.', `${URL_OF_PAGE}#steps`],
  ['Ask them.', `${URL_OF_PAGE}#steps`],
  ['Not in the text', URL_OF_PAGE],
])('findAddress cites "%s" at %s', (quote, address) => {
  expect(findAddress(TEXT, quote, URL_OF_PAGE)).toBe(address);
});

it('headings that link to themselves are indexed by their words', () => {
  expect(withoutAddresses(`## [Steps](${URL_OF_PAGE}#steps)`)).toBe('## Steps');
  expect(withoutAddresses('See [Steps](https://a.example/#steps).')).toContain('https://a.example');
});

const MANUAL = 'https://shop.example/manual.pdf#page=4';
const CHAPTER = [
  'Unplug the lamp.',
  toPageMark(5),
  'Wipe it [page 9] with a cloth.',
  '[page 7]: #page=8',
  'Rinse the shade.',
  toPageMark(12),
  '### Warranty',
  'Seven years.',
].join('\n\n');

it.each([
  ['Unplug the lamp.', 4],
  ['with a cloth.', 5],
  ['Rinse the shade.', 5],
  ['Seven years.', 12],
  ['Not in the text', 4],
])('findAddress cites "%s" on page %i', (quote, page) => {
  expect(findAddress(CHAPTER, quote, MANUAL)).toBe(`https://shop.example/manual.pdf#page=${page}`);
});

it('page marks are neither indexed nor summarized', () => {
  expect(withoutAddresses(toPageMark(12))).toBe('');
  expect(summarize(`Unplug it.\n\n${toPageMark(2)}\n\nWipe it.`, 'en')).toBe('Unplug it. Wipe it.');
});
