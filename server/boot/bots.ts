import { isbot } from 'isbot';
import { identity, memoize } from '../cache.ts';

const saysBot = memoize(isbot, identity);

/** Whether the caller says that it is a bot: by its User-Agent, or by the hint where there is none. */
export function isBot(userAgent: string | undefined, hint: string | undefined): boolean {
  const said = userAgent || hint;
  return said !== undefined && saysBot(said);
}
