import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { PACKAGE_ROOT } from './package-root.ts';

/** Beside the folder of this file, both in the sources and in the package. */
const FOLDER = new URL('languages/guide/', PACKAGE_ROOT);

const text = z.string().trim().min(1);

/** A language of the guide, as `languages/guide/<tag>.json` holds it. */
const GuideLanguage = z.strictObject({
  /** The texts of the panel, which only the build of the script tag reads. */
  texts: z.record(z.string(), text),
  /** The texts of the consent prompt. */
  consent: z.strictObject({
    title: text,
    /** The meaning of accepting and refusing; shown with both buttons. */
    text,
    accept: text,
    deny: text,
    /** Shown where a Global Privacy Control signal was honoured. */
    gpcNotice: text,
    /** Shown under `opt_out` and `notice`, beside a way to refuse. */
    notice: text,
  }),
  /** Says that the guide is an AI, that it may be wrong, and who processes the messages. */
  disclosure: text,
});
export type GuideLanguage = z.infer<typeof GuideLanguage>;

/** The languages of the guide by locale, such as `de` or `pt-BR`. */
export const GUIDE_LANGUAGES: ReadonlyMap<string, GuideLanguage> = new Map(
  readdirSync(FOLDER)
    .sort()
    .map((name) => [name.slice(0, -'.json'.length), readLanguage(name)]),
);

function readLanguage(name: string): GuideLanguage {
  return GuideLanguage.parse(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')));
}
