/** Reads what pages and responses tell robots (robots meta tag, `X-Robots-Tag`). */

type RobotsRules = { isNoindex: boolean; isNofollow: boolean; unavailableAfter?: string };

/** Directives with a value; any other word before a colon is the name of a robot. */
const WITH_VALUE = /^(?:unavailable_after|max-snippet|max-image-preview|max-video-preview)$/;
const OWN_NAMES = ['guidepost', '*', 'robots', 'all'];
const EXPIRY = /\bunavailable_after\s*:\s*([^\n]+)/i;

/** @param lines a header each, or the content of a meta element, without the rules for other robots */
export function readRobotsRules(lines: readonly string[]): RobotsRules {
  const own = lines.flatMap((line) => dropOtherAgents(line.trim()));
  const words = own.join(',').toLowerCase();
  return {
    isNoindex: /\b(?:noindex|none)\b/.test(words),
    isNofollow: /\b(?:nofollow|none)\b/.test(words),
    unavailableAfter: own.map(readExpiry).find(Boolean),
  };
}

/** Returns the rules for all robots and for this one. A name is valid for the rules after it. */
function dropOtherAgents(line: string): string[] {
  const kept: string[] = [];
  let isOwn = true;
  for (const part of line.split(',')) {
    const [, name, rest = ''] = /^\s*([^\s:,]+)\s*:\s*([\s\S]*)$/.exec(part) ?? [];
    const isName = name !== undefined && !WITH_VALUE.test(name.toLowerCase()) && !/^\d/.test(name);
    if (isName) isOwn = OWN_NAMES.includes(name.toLowerCase());
    if (isOwn) kept.push(isName ? rest : part);
  }
  return [kept.join(',')];
}

/** Dates may contain commas, so the longest text that is a date counts. */
function readExpiry(line: string): string | undefined {
  const parts = EXPIRY.exec(line)?.[1]?.split(',') ?? [];
  for (let count = parts.length; count > 0; count -= 1) {
    const millis = Date.parse(parts.slice(0, count).join(','));
    if (!Number.isNaN(millis)) return new Date(millis).toISOString();
  }
  return undefined;
}
