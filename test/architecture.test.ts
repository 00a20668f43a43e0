import { describe, expect, it } from 'vitest';
import { ONLY, ROOMS, type Room } from './architecture/rooms.ts';
import {
  fileNamesIn,
  type Import,
  type Source,
  sourceOf,
  sourcesIn,
  textOf,
} from './architecture/sources.ts';

const house = sourcesIn('contract', 'server', 'client', 'generated');
const everything = [...house, ...sourcesIn('test', 'bench')];

const LINES_MAX = 320;
/** Tables of facts, which are as long as the facts are many. */
const LONG_TABLES: readonly string[] = [
  'generated/routes.ts',
  'generated/types.ts',
  'server/storage/sqlite/schema.ts',
  'test/architecture/rooms.ts',
];

describe('the rooms of the house', () => {
  it('hold every file, each under one rule', () => {
    expect(house.filter((source) => !roomOf(source.path)).map(({ path }) => path)).toEqual([]);
  });

  it('import only what their rule allows', () => {
    expect(house.flatMap(trespasses)).toEqual([]);
  });

  it('leave some imports to the few files that are named for them', () => {
    expect(house.flatMap(privileges)).toEqual([]);
  });

  it('leave the environment to server/config.ts', () => {
    // A bundler is told of it by name; only what is no string reads it.
    const readers = house
      .filter(({ text }) => /\bprocess\.env\b/.test(text.replace(/'[^'\n]*'/g, '')))
      .map(({ path }) => path);
    expect(readers.filter((path) => path !== 'server/config.ts')).toEqual([]);
  });
});

describe('the test of the rooms', () => {
  it.each([
    ['server/chat/sample.ts', "import express from 'express';", 'A feature imports'],
    ['server/chat/sample.ts', "import { boot } from '../boot/boot.ts';", 'A feature imports'],
    ['server/chat/sample.ts', "import { mount } from '../http/handler.ts';", 'A feature imports'],
    ['server/chat/sample.ts', "export { open } from '../storage/sqlite/open.ts';", 'A feature imports'],
    ['server/chat/sample.ts', "const open = await import('../storage/sqlite/open.ts');", 'A feature imports'],
    ['server/storage/sqlite/sample.ts', "import type { X } from '../../refuse.ts';", 'An adapter imports'],
    ['server/http/sample.ts', "import { boot } from '../boot/boot.ts';", 'server/http imports'],
    ['server/storage/sample.ts', "import { z } from 'zod';", 'The storage port'],
    ['contract/sample.ts', "import { refuse } from '../server/refuse.ts';", 'contract/ imports zod'],
    ['client/sample.ts', "import { contract } from '../contract/index.ts';", 'client/ takes types'],
    [
      'client/sample.ts',
      "import type { ChatEvent } from '../contract/chat-event.ts';",
      'client/ takes types',
    ],
  ])('finds that %s may not say: %s', (path, text, rule) => {
    expect(trespasses(sourceOf(path, text)).join()).toContain(rule);
  });

  it.each([
    ['server/chat/sample.ts', "import type { Handler } from '../http/handler.ts';"],
    ['server/chat/sample.ts', "import { retrieve } from '../knowledge/retrieve.ts';"],
    ['server/storage/sqlite/sample.ts', "import { StorageUnavailable } from '../store.ts';"],
    ['client/sample.ts', "import type { ChatEvent } from '../generated/types.ts';"],
    ['client/sample.ts', "type Event = import('node:events').EventEmitter;"],
  ])('lets %s say: %s', (path, text) => {
    expect(trespasses(sourceOf(path, text))).toEqual([]);
  });

  it('finds ts-rest and SQLite outside of the files that are named for them', () => {
    const rest = sourceOf('contract/chat.ts', "import { initContract } from '@ts-rest/core';");
    const driver = sourceOf('server/service.ts', "import { drizzle } from 'drizzle-orm/better-sqlite3';");
    expect([rest, driver].flatMap(privileges)).toHaveLength(2);
  });
});

describe('the files of the house', () => {
  it(`are no longer than ${LINES_MAX} lines`, () => {
    const long = everything.filter(
      ({ path, text }) => !LONG_TABLES.includes(path) && text.split('\n').length > LINES_MAX,
    );
    expect(long.map(({ path, text }) => `${path}: ${text.split('\n').length} lines`)).toEqual([]);
  });

  it('have kebab-case names that say what they hold', () => {
    const name = (path: string) => path.split('/').at(-1)!;
    const shapeless = everything.filter(
      ({ path }) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.(test|suite|check|config|d))?\.tsx?$/.test(name(path)),
    );
    const hollow = everything.filter(({ path }) =>
      /(^|-)(utils?|common|helpers?|managers?|impl|misc)(-|\.)/.test(name(path)),
    );
    expect([...shapeless, ...hollow].map(({ path }) => path)).toEqual([]);
  });

  it('are no barrels but at the two published doors', () => {
    const doors = ['contract/index.ts', 'client/index.ts'];
    const barrels = everything.filter(({ path, isBarrel }) => isBarrel || /\/index\.ts$/.test(path));
    expect(barrels.map(({ path }) => path).filter((path) => !doors.includes(path))).toEqual([]);
  });

  it('never import themselves in a circle', () => {
    expect(circles(house)).toEqual([]);
  });

  it.each(['contract', 'server', 'client', 'generated', 'test', 'bench', 'lint'])(
    'are introduced by a README of at most five lines in %s/',
    (folder) => {
      expect(fileNamesIn(folder)).toContain(`${folder}/README.md`);
      expect(textOf(`${folder}/README.md`)!.trim().split('\n').length).toBeLessThanOrEqual(5);
    },
  );
});

function roomOf(path: string): Room | undefined {
  return ROOMS.find(({ holds }) => holds.test(path));
}

/** What a file imports against the rule of its room. */
function trespasses(source: Source): string[] {
  const room = roomOf(source.path);
  if (!room) return [];
  return source.imports
    .filter((each) => roomOf(each.what) !== room && !room.may.some((rule) => allows(rule, each)))
    .map(({ what, isType }) => `${source.path} imports ${isType ? 'types of ' : ''}${what}. ${room.rule}`);
}

function allows(rule: string, { what, isType }: Import): boolean {
  if (rule.startsWith('type ')) return isType && allows(rule.slice('type '.length), { what, isType });
  if (rule === 'storage:port') return /^server\/storage\/[^/]+\.ts$/.test(what);
  return rule.endsWith('/') ? what.startsWith(rule) : what === rule;
}

function privileges(source: Source): string[] {
  return source.imports.flatMap(({ what }) =>
    ONLY.filter((only) => only.what.test(what) && !only.from.test(source.path)).map(
      ({ rule }) => `${source.path} imports ${what}. ${rule}`,
    ),
  );
}

/** Circles of imports that run; types may point at each other. Each is told once, by its files in order. */
function circles(sources: readonly Source[]): string[] {
  const edges = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports.filter(({ isType }) => !isType).map(({ what }) => what),
    ]),
  );
  const found = new Set<string>();
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]) => {
    const at = trail.indexOf(path);
    if (at >= 0) found.add(trail.slice(at).join(' -> '));
    if (at >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return [...found];
}
