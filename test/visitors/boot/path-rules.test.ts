import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ARTICLE_LIMITS } from '../../../contract/limits/articles.ts';
import { WORKSPACE_LIMITS } from '../../../contract/limits/workspace.ts';
import { findPathRule, matchesPath, parsePathPattern } from '../../../contract/path-rules.ts';
import { measureCpuMillis } from '../../support/cpu-time.ts';
import { expectError } from '../../support/response.ts';
import { fc } from '../../support/seeded-random.ts';
import { openTeam, type Team } from '../../support/team.ts';
import { send } from './send-boot.ts';

const { URLPattern } = globalThis as unknown as {
  URLPattern: new (parts: { pathname: string }) => { test(of: { pathname: string }): boolean };
};

const matches = (pattern: string, path: string) =>
  findPathRule([{ pattern, mode: 'hidden' }], path) !== undefined;

describe('a path pattern', () => {
  it.each([
    ['/pricing', '/pricing', true],
    ['/pricing', '/pricing/', false],
    ['/pricing', '/Pricing', false],
    ['/shop/*', '/shop/lamps/1', true],
    ['/shop/*', '/shop', false],
    ['/shop{/*}?', '/shop', true],
    ['/shop/**', '/shop', true],
    ['/orders/:id', '/orders/7', true],
    ['/orders/:id', '/orders/7/items', false],
    ['/orders/:id?', '/orders', true],
    ['*/help', '/de/help', true],
    ['/a\\*b', '/a*b', true],
    ['/größe', '/gr%C3%B6%C3%9Fe', true],
    ['/gr%C3%B6%C3%9Fe', '/größe', true],
    ['/pricing', '/pricing?plan=pro#top', true],
  ])('%s matches the path %s: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it.each([
    'pricing',
    '',
    '/(.*)',
    '/a(b)?',
    '/:id+',
    '/:id*',
    '/{a}+',
    '/{a}*',
    '/{a{b}}',
    '/{a',
    '/a}',
    '/a+',
    '/*/*/*/*/*/*/*',
    '/:id+x',
    '/a?',
    '/a#b',
    '/:',
  ])('is rejected when it is %s', (pattern) => {
    expect(parsePathPattern(pattern)).toBeUndefined();
  });

  it('matches what URLPattern matches', () => {
    const part = fc.constantFrom('/', 'a', 'b', '/a', '*', ':x', ':y?', '*?', '{/a}?', '{/*}?', '{b}', '-');
    const patterns = fc
      .array(part, { maxLength: 6 })
      .map((parts) => `/${parts.join('')}`)
      .filter((pattern) => {
        try {
          return Boolean(new URLPattern({ pathname: pattern }));
        } catch {
          return false;
        }
      });
    const paths = fc
      .array(fc.constantFrom('/', 'a', 'b', '-', 'x'), { maxLength: 8 })
      .map((all) => `/${all.join('')}`);
    fc.assert(
      fc.property(patterns, paths, (pathname, path) => {
        const parsed = parsePathPattern(pathname);
        if (parsed)
          expect(matchesPath(parsed, path)).toBe(new URLPattern({ pathname }).test({ pathname: path }));
      }),
      { numRuns: 3000 },
    );
  });

  it('is matched in linear time for any rules and paths', async () => {
    const pattern = `/${'*a'.repeat(6)}${'{a}?'.repeat(46)}b`;
    const rules = Array.from({ length: WORKSPACE_LIMITS.pathRulesMax }, () => ({
      pattern,
      mode: 'hidden' as const,
    }));
    const path = '/aaa'.repeat(512);
    expect(findPathRule(rules, path)).toBeUndefined();
    expect(parsePathPattern(pattern)).toBeDefined();
    expect(await measureCpuMillis(async () => findPathRule(rules, path))).toBeLessThan(1000);
  });
});

describe('path rules of a workspace', () => {
  let team: Team;
  beforeAll(async () => {
    team = await openTeam({ articles: [] });
  });
  afterAll(() => team.close());
  const change = (pathRules: unknown) => team.as('owner').patch<{ pathRules: unknown }>('', { pathRules });
  const bootAt = async (path: string) => {
    const { json } = await send(team.harness, { body: { path, app_id: team.workspace.appId } });
    return json.config.mount;
  };

  it('are empty at first and show the guide everywhere', async () => {
    const { json } = await team.as('member').get<{ pathRules: unknown; suggestions: unknown }>('');
    expect(json.pathRules).toEqual([]);
    expect(await bootAt('/')).toEqual({ mode: 'shown', suggestions: json.suggestions, rules: [] });
  });

  it('decide the path of a boot by the first rule that matches', async () => {
    const rules = [
      { pattern: '/checkout/help', mode: 'opened', suggestions: ['How do I pay?'] },
      { pattern: '/checkout/*', mode: 'hidden' },
    ];
    const changed = await change([{ ...rules[0], pattern: '/checkout/help ' }, rules[1]]);
    expect(changed.json.pathRules).toEqual(rules);
    team.harness.clock.advance(WORKSPACE_LIMITS.workspaceCacheMillis);
    expect(await bootAt('/checkout/help')).toEqual({ mode: 'opened', suggestions: ['How do I pay?'], rules });
    expect(await bootAt('/checkout/pay?step=1')).toMatchObject({ mode: 'hidden', rules });
    expect(await bootAt('/')).toMatchObject({ mode: 'shown' });
    expect((await bootAt('/')).suggestions).not.toEqual(['How do I pay?']);
    await change([]);
    team.harness.clock.advance(WORKSPACE_LIMITS.workspaceCacheMillis);
    expect(await bootAt('/checkout/pay')).toMatchObject({ mode: 'shown', rules: [] });
  });

  it.each([
    ['a regular expression', { pattern: '/(a+)+', mode: 'hidden' }, 'body.pathRules.0.pattern'],
    ['a relative path', { pattern: 'checkout', mode: 'hidden' }, 'body.pathRules.0.pattern'],
    ['an unknown mode', { pattern: '/', mode: 'gone' }, 'body.pathRules.0.mode'],
    [
      'a blank question',
      { pattern: '/', mode: 'shown', suggestions: ['\u0000'] },
      'body.pathRules.0.suggestions.0',
    ],
  ])('reject %s', async (_what, rule, path) => {
    expect(expectError(await change([rule]), 'request/invalid').issues).toMatchObject([{ path }]);
  });

  it('are limited in number', async () => {
    const rules = Array.from({ length: WORKSPACE_LIMITS.pathRulesMax + 1 }, () => ({
      pattern: '/',
      mode: 'hidden',
    }));
    expectError(await change(rules), 'request/invalid');
    const long = 'ä'.repeat(ARTICLE_LIMITS.titleCharsMax);
    const largest = {
      pattern: `/${'ä'.repeat(WORKSPACE_LIMITS.pathPatternCharsMax - 1)}`,
      mode: 'shown',
      suggestions: Array(4).fill(long),
    };
    expect((await change(Array(WORKSPACE_LIMITS.pathRulesMax).fill(largest))).status).toBe(200);
    await change([]);
  });
});
