import { expect, it } from 'vitest';
import { findAddress, withoutAddresses } from '../../server/knowledge/answer/lines.ts';

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

it('indexes headings that link to themselves by their words', () => {
  expect(withoutAddresses(`## [Steps](${URL_OF_PAGE}#steps)`)).toBe('## Steps');
  expect(withoutAddresses('See [Steps](https://a.example/#steps).')).toContain('https://a.example');
});
