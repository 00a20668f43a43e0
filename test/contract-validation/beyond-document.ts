import type { ErrorBody } from '../../contract/errors.ts';
import type { SeenExchange } from './exchange.ts';
import waivers from './waivers.json' with { type: 'json' };

/**
 * Rules of the service that a JSON schema can't say; each is named in waivers.json with its reason, by the code that the service refuses
 * with. Everything else that is refused as wrong must be wrong by the document too.
 */
const { problems, refusals } = waivers as Record<'problems' | 'refusals', Record<string, string>>;

export function isBeyondDocument({ answer, url }: Pick<SeenExchange, 'answer' | 'url'>): boolean {
  // The validator takes more digits than a number holds for infinity, and that for an integer.
  if (/\d{300}/.test(url)) return true;
  const { error, issues = [] } = JSON.parse(answer) as ErrorBody;
  if (error in refusals) return true;
  return error === 'request/invalid' && issues.some(({ code }) => code in problems);
}
