import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';

/**
 * Asks the registry which packages that the service contains have known vulnerabilities, and fails for those of high
 * and critical severity. `accepted.json` lists advisories that are accepted until a date, with the
 * reason. With `--required`, a registry without an advisory database fails too.
 */

const FATAL = ['high', 'critical'];

const advisory = z.object({ url: z.url(), title: z.string(), severity: z.string() });
/** What `npm audit --json` prints. `via` names another package where that one is the reason. */
const report = z.object({
  vulnerabilities: z.record(z.string(), z.object({ via: z.array(z.union([z.string(), advisory])) })),
});
/** What it prints when the registry does not answer the question. */
const failure = z.object({ message: z.string(), statusCode: z.number().optional() });
const acceptedList = z.array(
  z.strictObject({ url: z.url(), reason: z.string().min(1), until: z.iso.date() }),
);

/** Statuses with which a registry says that it has no advisory database. */
const UNSUPPORTED = [404, 405, 501];

function audit(): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settings = { maxBuffer: 1e8, timeout: 120_000 };
    // npm exits with 1 for vulnerabilities too.
    execFile('npm', ['audit', '--omit=dev', '--json'], settings, (error, output) => {
      if (output.trim()) resolve(JSON.parse(output));
      else reject(error ?? new Error('npm audit printed nothing'));
    });
  });
}

function listFatal(found: z.infer<typeof report>): string[] {
  const accepted = new Map(
    acceptedList
      .parse(JSON.parse(readFileSync(values.accepted, 'utf8')))
      .map(({ url, until }) => [url, until]),
  );
  const today = new Date().toISOString().slice(0, 10);
  const lines = Object.entries(found.vulnerabilities).flatMap(([name, { via }]) =>
    via
      .filter((cause) => typeof cause !== 'string')
      .filter(({ severity, url }) => FATAL.includes(severity) && (accepted.get(url) ?? '') < today)
      .map(({ severity, title, url }) => {
        const until = accepted.get(url);
        return `${name}: ${severity}: ${title} (${url})${until ? `, accepted until ${until}` : ''}`;
      }),
  );
  return [...new Set(lines)];
}

const { values } = parseArgs({
  options: {
    required: { type: 'boolean' },
    accepted: { type: 'string', default: fileURLToPath(new URL('accepted.json', import.meta.url)) },
  },
});
const answer = await audit();
const parsed = report.safeParse(answer);
if (parsed.success) {
  const fatal = listFatal(parsed.data);
  for (const line of fatal) console.error(`advisories: ${line}`);
  if (fatal.length > 0) process.exitCode = 1;
  else console.log('advisories: no package of the service has a known vulnerability of high severity');
} else {
  const { message, statusCode = 0 } = failure.parse(answer);
  const isUnsupported = UNSUPPORTED.includes(statusCode);
  console.error(`advisories: NOT CHECKED: ${message}`);
  if (isUnsupported) console.error('advisories: this registry has no advisory database');
  if (!isUnsupported || values.required) process.exitCode = 1;
}
