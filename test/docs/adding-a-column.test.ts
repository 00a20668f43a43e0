import { describe, expect, it } from 'vitest';
import { isCurrent, listMentions, readExcerpts } from './excerpts.ts';

/** The examples in docs/contract.md exist as shown, and no other source names the column or the setting. */

const PRODUCT = '{contract,server,client}/**/*.{ts,tsx}';

/** Analytics counts the reasons of ratings, in a field of the same name. */
const REPORT = [
  'client/dashboard/routes/analytics/breakdowns.tsx',
  'contract/analytics.ts',
  'server/insights/aggregate.ts',
];

describe.each([
  { title: 'Adding a private column', name: 'claimedRegion', filesMax: 4 },
  // The words of a form are listed in an eighth file.
  {
    title: 'Adding a column that visitors send and owners see',
    name: 'reasons',
    filesMax: 7,
    others: REPORT,
  },
  // The palette finds a group of switches by the first.
  {
    title: 'Adding a setting',
    name: 'pageActions',
    filesMax: 6,
    others: ['client/dashboard/navigation/pages.ts'],
  },
])('"$title" of docs/contract.md', ({ title, name, filesMax, others = [] }) => {
  const excerpts = readExcerpts(title);
  const shown = excerpts.map(([path]) => path);

  it.each(excerpts)('shows code that %s contains', (path, code) => {
    expect(isCurrent(path, code)).toBe(true);
  });

  it(`shows every source that names ${name}, and a test: at most ${filesMax} files`, () => {
    const sources = shown.filter((path) => !path.startsWith('test/'));
    expect(listMentions(PRODUCT, name)).toEqual([...sources, ...others].sort());
    expect(shown.length - sources.length).toBe(1);
    expect(shown.length).toBeLessThanOrEqual(filesMax);
  });
});
