import { execFileSync } from 'node:child_process';
import sparticuz from '@sparticuz/chromium';

/**
 * Builds the program, the script tag and the dashboard, and unpacks the browser once, so that two
 * workers do not do it at the same time.
 */
export default async function setUp(): Promise<void> {
  // Vitest calls this once for each project.
  if (process.env.TESTS_ARE_READY) return;
  process.env.TESTS_ARE_READY = 'yes';
  const { MAKEFLAGS: _, ...env } = process.env;
  execFileSync('make', ['--silent', 'dist/guidepost.js'], { stdio: 'inherit', env });
  await sparticuz.executablePath();
}
