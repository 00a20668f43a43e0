import robots, { type Robot } from 'robots-parser';
import { RunFailed } from '../document.ts';
import { type Fetcher, getFollowing, USER_AGENT_NAME } from './fetch.ts';
import { getOrigin } from './urls.ts';

/** The rules of an origin for crawlers (RFC 9309). */
export type Robots = {
  isAllowed(url: string): boolean;
  /** Delay between two requests; 0 if none is asked for. */
  delaySeconds: number;
};

/** The package's types declare a default export that it does not have. */
const parse = robots as unknown as (url: string, text: string) => Robot;

/** RFC 9309 requires at least 500 KiB. */
const BYTES_MAX = 512 * 1024;
/**
 * Limit of matching, about 30 ms; an address that needs more counts as forbidden. Time grows with the
 * length of the address times the steps of all rules: one for each character of a rule with wildcards,
 * PLAIN_RULE_STEPS for any other rule.
 */
const STEPS_MAX = 2_000_000;
/** Cost of matching a rule without wildcards, relative to one character of a rule with wildcards. */
const PLAIN_RULE_STEPS = 0.1;

const OPEN: Robots = { isAllowed: () => true, delaySeconds: 0 };

/** Throws when it cannot be known whether crawling is allowed; crawling then counts as forbidden. */
export async function fetchRobots(
  fetcher: Fetcher,
  origin: string,
  options: { signal: AbortSignal; permits: (url: string) => boolean },
): Promise<Robots> {
  const url = `${origin}/robots.txt`;
  const fetched = await getFollowing(fetcher, url, { ...options, bytesMax: BYTES_MAX });
  if (fetched.kind === 'ok') return parseRobots(new TextDecoder().decode(fetched.bytes), url);
  if (fetched.kind === 'gone' || fetched.kind === 'unchanged') return OPEN;
  const { status = 500, reason, detail } = fetched;
  if (reason === 'off_site') throw new RunFailed('moved', getOrigin(detail ?? url));
  if (reason === 'private_address') throw new RunFailed('private_address', `${origin} ${detail}`);
  // A site that refuses access to robots.txt, or has none, has no rules (RFC 9309, section 2.3.1.3).
  if (status >= 400 && status < 500 && status !== 429) return OPEN;
  throw new RunFailed('robots_unreachable', `${url} (${detail ? `${reason} ${detail}` : reason})`);
}

function parseRobots(text: string, url: string): Robots {
  const lines = text.split(/[\r\n]+/).filter((line) => /^\s*(?:dis)?allow/i.test(line));
  const steps = lines.reduce((sum, line) => sum + (/[*$]/.test(line) ? line.length : PLAIN_RULE_STEPS), 0);
  const rules = parse(url, text);
  const delay = Number(rules.getCrawlDelay(USER_AGENT_NAME) ?? 0);
  return {
    isAllowed: (page) =>
      steps * page.length <= STEPS_MAX && (rules.isAllowed(page, USER_AGENT_NAME) ?? false),
    delaySeconds: Number.isFinite(delay) ? Math.max(0, delay) : Number.POSITIVE_INFINITY,
  };
}
