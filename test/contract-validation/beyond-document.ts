import type { ErrorBody } from '../../contract/errors.ts';
import type { SeenExchange } from './exchange.ts';
import waivers from './waivers.json' with { type: 'json' };

/**
 * Rules that a JSON schema cannot express. waivers.json names each with its reason and the error
 * code.
 */
const { problems, refusals } = waivers as Record<'problems' | 'refusals', Record<string, string>>;

export function isBeyondDocument({ answer, url }: Pick<SeenExchange, 'answer' | 'url'>): boolean {
  // The validator takes more digits than a number holds for infinity, and that for an integer.
  if (/\d{300}/.test(url)) return true;
  const { error, issues = [] } = JSON.parse(answer) as ErrorBody;
  if (error in refusals) return true;
  return error === 'request/invalid' && issues.some(({ code }) => code in problems);
}
