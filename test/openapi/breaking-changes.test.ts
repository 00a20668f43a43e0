import { describe, expect, it } from 'vitest';
import { findBreakingChanges } from '../../scripts/openapi/breaking-changes.ts';
import { openapiDocument } from '../../scripts/openapi/openapi.ts';
import {
  findReleaseProblems,
  findUnacknowledged,
  isReleased,
  mayBreak,
  parseAcknowledgedNames,
} from '../../scripts/openapi/release.ts';
import { BREAKS, HARMLESS, smallDocument } from './breaking-changes.ts';

const released = smallDocument();

describe('comparing a document with the released one', () => {
  it.each(BREAKS)('reports %s as breaking', (_, change, place) => {
    const changed = smallDocument();
    change(changed);
    expect(findBreakingChanges(released, changed).map((each) => each.place)).toContain(place);
  });

  it.each(HARMLESS)('does not report %s as breaking', (_, change) => {
    const changed = smallDocument();
    change(changed);
    expect(changed).not.toEqual(released);
    expect(findBreakingChanges(released, changed)).toEqual([]);
  });

  it('reports nothing without a change', () => {
    expect(findBreakingChanges(openapiDocument(), openapiDocument())).toEqual([]);
  });

  it('reports each removed operation', () => {
    const changed = { ...openapiDocument(), paths: {} };
    const reported = findBreakingChanges(openapiDocument(), changed).map(
      ({ place, what }) => `${place} ${what}`,
    );
    const operations = Object.values(openapiDocument().paths!).flatMap((item) => Object.values(item));
    expect(reported).toEqual(operations.map(({ operationId }) => `${operationId} was removed`));
  });

  it('reports a change of a shared schema once, with every affected operation', () => {
    const changed = smallDocument();
    Object.assign(changed.components!.schemas!.Colour!, { type: 'integer' });
    expect(findBreakingChanges(released, changed)).toEqual([
      { place: 'Colour', what: 'was string and is integer', operations: ['makeThing', 'findThing'] },
    ]);
  });
});

describe('CHANGELOG.md', () => {
  const changed = smallDocument();
  Object.assign(changed.components!.schemas!.Colour!, { type: 'integer' });
  changed.info.version = '0.2.0';
  const findProblems = (lines: string, document = changed) =>
    findReleaseProblems(
      { version: '0.1.0', document: released },
      document,
      `# Changes\n\n${lines}\n\n## 0.1.0\n\n- First.\n`,
    );

  it('must list each breaking change; the check prints the missing line', () => {
    expect(findProblems('## 0.2.0 (unreleased)\n\n- Something else.')).toEqual([
      '- Breaking: Colour: Colour was string and is integer (in makeThing, findThing)',
    ]);
  });

  it('may list a change by its schema or by all of its operations', () => {
    expect(findProblems('## 0.2.0\n\n- Breaking: Colour: it is a number.')).toEqual([]);
    expect(findProblems('## 0.2.0\n\n- Breaking: `makeThing`, `findThing`: it is a number.')).toEqual([]);
    expect(findProblems('## 0.2.0\n\n- Breaking: makeThing: it is a number.')).toHaveLength(1);
    expect(findProblems('## 0.2.0\n\n- Breaking: Colour:')).toHaveLength(1);
  });

  it('must list a breaking change under a version newer than the released one', () => {
    expect([...parseAcknowledgedNames('## 0.1.0\n\n- Breaking: Colour: long ago.\n', '0.1.0')]).toEqual([]);
    expect([...parseAcknowledgedNames('## 0.10.0\n\n- Breaking: Colour: now.\n', '0.9.0')]).toEqual([
      'Colour',
    ]);
  });

  it('does not excuse a breaking change in a version that may not have one', () => {
    const patch = structuredClone(changed);
    patch.info.version = '0.1.1';
    expect(findProblems('## 0.1.1\n\n- Breaking: Colour: it is a number.', patch)).toEqual([
      '0.1.1 must not break clients of 0.1.0: raise the major version, or the minor one before 1.0.0.',
    ]);
  });

  it('says whether a version is released', () => {
    expect(isReleased('## 0.1.0\n\nText (unreleased)', '0.1.0')).toBe(true);
    expect(isReleased('## 0.1.0 (unreleased)\n', '0.1.0')).toBe(false);
    expect(isReleased('## 0.1.0\n', '0.2.0')).toBe(false);
  });

  it('excuses no breaking change that it does not list', () => {
    const breaks = [{ place: 'Thing.name', what: 'was removed', operations: ['findThing'] }];
    expect(findUnacknowledged(breaks, new Set(['Things']))).toEqual(breaks);
    expect(findUnacknowledged(breaks, new Set(['Thing']))).toEqual([]);
  });
});

it('the check allows breaking changes in major versions, and in minor versions before 1.0.0', () => {
  expect(mayBreak('0.2.0', '0.1.5')).toBe(true);
  expect(mayBreak('1.0.0', '0.9.0')).toBe(true);
  expect(mayBreak('2.0.0', '1.9.0')).toBe(true);
  expect(mayBreak('0.1.6', '0.1.5')).toBe(false);
  expect(mayBreak('1.2.0', '1.1.0')).toBe(false);
  expect(mayBreak('0.1.5', '0.1.5')).toBe(false);
});
