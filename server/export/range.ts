import { canBeAskedFor } from '../../contract/fields.ts';
import { throwInvalidRequest } from '../http/errors.ts';
import type { Span } from '../storage/events.ts';

/** Times as callers write them. */

type Range = { readonly from?: string | undefined; readonly to?: string | undefined };

/** Undefined where everything is wanted; refuses a range that ends before it begins. */
export function spanOf({ from, to }: Range): Span | undefined {
  if (from === undefined && to === undefined) return undefined;
  const fromMillis = from === undefined ? Number.MIN_SAFE_INTEGER : millisOf('from', from);
  const beforeMillis = to === undefined ? Number.MAX_SAFE_INTEGER : millisOf('to', to);
  if (fromMillis > beforeMillis)
    throwInvalidRequest({
      path: 'query.from',
      code: 'empty_range',
      message: 'The range ends before it begins.',
    });
  return { fromMillis, beforeMillis };
}

/** The same range in the one form that figures are asked for with. */
export function momentsOf({ from, to }: Range): Range {
  const moment = (field: 'from' | 'to', text: string | undefined) =>
    text === undefined ? undefined : new Date(millisOf(field, text)).toISOString();
  return { from: moment('from', from), to: moment('to', to) };
}

function millisOf(field: 'from' | 'to', text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const day = text.slice(0, 10);
  const millis = Date.parse(text);
  // Days that a month does not have would become days of the next one.
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  if (!isDay || !canBeAskedFor(millis))
    throwInvalidRequest({
      path: `query.${field}`,
      code: 'invalid_time',
      message: 'There is no such date or time.',
    });
  return millis;
}
