import { isbot } from 'isbot';

const VERDICTS_KEPT = 2000;
const verdicts = new Map<string, boolean>();

/** Whether the caller says that it is a bot: by its User-Agent, or by the hint where there is none. */
export function isBot(userAgent: string | undefined, hint: string | undefined): boolean {
  const said = userAgent ?? hint;
  if (said === undefined) return false;
  const known = verdicts.get(said);
  if (known !== undefined) return known;
  const verdict = isbot(said);
  if (verdicts.size >= VERDICTS_KEPT) verdicts.clear();
  verdicts.set(said, verdict);
  return verdict;
}
