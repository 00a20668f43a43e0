import { execFileSync } from 'node:child_process';
import sparticuz from '@sparticuz/chromium';

/**
 * What tests find ready: the program, the script tag and the dashboard, built as their sources are now, and the browser, which the first
 * who asks for it unpacks; two of them at once would get half of it.
 */
export default async function setUp(): Promise<void> {
  // Each project of the configuration calls this; together they are one suite.
  if (process.env.TESTS_ARE_READY) return;
  process.env.TESTS_ARE_READY = 'yes';
  const { MAKEFLAGS: _, ...env } = process.env;
  execFileSync('make', ['--silent', 'dist/guidepost.js'], { stdio: 'inherit', env });
  await sparticuz.executablePath();
}
