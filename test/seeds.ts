import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../server/clock.ts';
import { articlesAt, importArticles } from '../server/knowledge/import.ts';
import type { Store } from '../server/storage/store.ts';

/** Articles of a small shop, some of them translated, in the shape of an import line. */
export type Seed = {
  readonly slug: string;
  readonly locale: string;
  readonly title: string;
  readonly answer: string;
  readonly aliases?: readonly string[];
  readonly url?: string;
  readonly translations?: readonly {
    readonly locale: string;
    readonly title: string;
    readonly answer: string;
    readonly aliases?: readonly string[];
  }[];
};

export const seeds: readonly Seed[] = [
  {
    slug: 'reset-password',
    locale: 'en',
    title: 'Reset your password',
    answer:
      'Open the sign-in page and choose "Forgot password". We send a link to your e-mail address. The link works for one hour and only once.',
    aliases: ['forgot password', 'cannot sign in'],
    url: 'https://shop.example.com/help/reset-password',
    translations: [
      {
        locale: 'de',
        title: 'Passwort zurücksetzen',
        answer:
          'Öffnen Sie die Anmeldeseite und wählen Sie „Passwort vergessen“. Wir senden einen Link an Ihre E-Mail-Adresse. Der Link gilt eine Stunde und nur einmal.',
        aliases: ['Passwort vergessen'],
      },
      {
        locale: 'pt-BR',
        title: 'Redefinir a senha',
        answer:
          'Abra a página de entrada e escolha "Esqueci a senha". Enviamos um link para o seu e-mail. O link vale por uma hora e apenas uma vez.',
      },
    ],
  },
  {
    slug: 'return-an-order',
    locale: 'en',
    title: 'Return an order',
    answer:
      'You can return an order within thirty days. Print the return label from your order page. Bring the parcel to any post office. We refund the money within five working days.',
    aliases: ['send back', 'refund'],
    url: 'https://shop.example.com/help/returns',
    translations: [
      {
        locale: 'de',
        title: 'Eine Bestellung zurückgeben',
        answer:
          'Sie können eine Bestellung innerhalb von dreißig Tagen zurückgeben. Drucken Sie das Rücksendeetikett auf der Bestellseite aus. Geben Sie das Paket bei einer Postfiliale ab. Wir erstatten das Geld innerhalb von fünf Werktagen.',
      },
    ],
  },
  {
    slug: 'delivery-times',
    locale: 'en',
    title: 'Delivery times',
    answer:
      'Orders placed before noon leave our warehouse the same day. Delivery within the country takes two days. Abroad it takes up to eight days.',
    aliases: ['shipping', 'when will my parcel arrive'],
  },
  {
    slug: 'gift-cards',
    locale: 'en',
    title: 'Gift cards',
    answer:
      'A gift card can be bought for any amount between ten and five hundred euros. It is valid for three years. Enter its code at the checkout.',
  },
];

/** Imports as an operator does: from a file with a line an article. */
export async function importSeeds(
  store: Store,
  workspaceId: string,
  articles: readonly Seed[],
): Promise<void> {
  if (articles.length === 0) return;
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-seeds-'));
  const file = join(folder, 'articles.jsonl');
  writeFileSync(file, articles.map((article) => JSON.stringify(article)).join('\n'));
  const { articles: into, audit } = store.in(workspaceId);
  const report = await importArticles(
    await articlesAt(file, 'en'),
    { workspaceId, articles: into, audit, clock: systemClock, actor: 'test' },
    { onProblem: (problem) => console.error(problem) },
  );
  rmSync(folder, { recursive: true });
  if (report.errors > 0) throw new Error(`${report.errors} seeds could not be imported`);
}
