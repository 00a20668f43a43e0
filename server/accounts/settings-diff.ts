import { isDeepStrictEqual } from 'node:util';
import type { Workspace } from '../storage/workspaces.ts';

type Fields = Readonly<Record<string, unknown>>;
export type SettingsDiff = { readonly before: Fields; readonly after: Fields };

/** What a change of a workspace did: the fields that differ, as they were and as they are. Undefined when none does. */
export function settingsDiff(before: Workspace, after: Workspace): SettingsDiff | undefined {
  return diffOf(whatOwnersSee(before), whatOwnersSee(after));
}

const whatOwnersSee = ({ name, enabled, settings }: Workspace): Fields => ({ name, enabled, ...settings });

function diffOf(before: Fields, after: Fields): SettingsDiff | undefined {
  const was: Record<string, unknown> = {};
  const is: Record<string, unknown> = {};
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, fresh] = [before[field], after[field]];
    if (isDeepStrictEqual(old, fresh)) continue;
    const inner = isGroup(old) && isGroup(fresh) ? diffOf(old, fresh) : { before: old, after: fresh };
    if (isThere(inner?.before)) was[field] = inner?.before;
    if (isThere(inner?.after)) is[field] = inner?.after;
  }
  const isSame = Object.keys(was).length + Object.keys(is).length === 0;
  return isSame ? undefined : { before: was, after: is };
}

/** A group of which nothing was there before, or is there after. */
const isThere = (value: unknown) =>
  value !== undefined && !(isGroup(value) && Object.keys(value).length === 0);

const isGroup = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
