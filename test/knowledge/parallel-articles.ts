import { createTermBuffer, hashTerms, tokenize } from '../../server/knowledge/search/tokenize.ts';
import type { ParallelArticle } from '../../server/storage/dictionaries.ts';

/** Articles about actions on a few things, in four languages. */

const THINGS = {
  en: ['parcel', 'invoice', 'key', 'drawer', 'bicycle', 'password', 'lamp', 'voucher', 'package'],
  de: ['paket', 'rechnung', 'schlüssel', 'schublade', 'fahrrad', 'passwort', 'lampe', 'gutschein', 'paket'],
  fr: ['colis', 'facture', 'clé', 'tiroir', 'vélo', 'passe', 'ampoule', 'chèque', 'colis'],
  ja: ['荷物', '請求', '鍵', '引出', '自転車', '暗号', '電球', '商品券', '荷物'],
} as const;

type Locale = keyof typeof THINGS;

const SENTENCES: Readonly<Record<Locale, readonly ((thing: string) => string)[]>> = {
  en: [
    (thing) => `Repair the ${thing} tomorrow.`,
    (thing) => `Print the ${thing} today.`,
    (thing) => `We send the ${thing} back.`,
  ],
  de: [
    (thing) => `Morgen ${thing} reparieren.`,
    (thing) => `Heute ${thing} ausdrucken.`,
    (thing) => `Wir senden ${thing} zurück.`,
  ],
  fr: [
    (thing) => `Réparez demain le ${thing}.`,
    (thing) => `Imprimez aujourd'hui le ${thing}.`,
    (thing) => `Nous renvoyons le ${thing}.`,
  ],
  ja: [(thing) => `明日${thing}を修理。`, (thing) => `今日${thing}を印刷。`, (thing) => `${thing}を返送。`],
};

const toText = (locale: Locale, at: number) => {
  const thing = THINGS[locale][at]!;
  const answer = SENTENCES[locale].map((sentence) => sentence(thing)).join('\n');
  return { locale, title: thing, answer, aliases: [] };
};

export const articles: readonly ParallelArticle[] = THINGS.en.map((_, at) => ({
  source: toText('en', at),
  translations: (['de', 'fr', 'ja'] as const).map((locale) => toText(locale, at)),
}));

/** Returns the hash of a single word. */
export function toWord(text: string, locale: string): number {
  const buffer = createTermBuffer();
  const units = tokenize(text, locale);
  hashTerms(buffer, units, 0, units.length);
  return buffer.words[0]!;
}
