import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { indexPassage } from '../../server/knowledge/search/chunks.ts';
import type { PublishedVariant } from '../../server/storage/passages.ts';
import { migrate } from '../../server/storage/sqlite/migrate.ts';
import { removePassages, sqlitePassages, writePassage } from '../../server/storage/sqlite/passages.ts';
import { tempDir } from '../support/temp-dir.ts';

export type Published = Pick<PublishedVariant, 'articleId' | 'locale' | 'title' | 'answer'> &
  Partial<PublishedVariant>;

/** Passages in a database of their own, read over a second connection as in the service. */
export function openCorpus() {
  const folder = tempDir();
  const db = new Database(join(folder, 'corpus.db'));
  db.pragma('journal_mode = WAL');
  migrate(db);
  const read = new Database(join(folder, 'corpus.db'), { readonly: true });
  return {
    db,
    publish(workspaceId: string, ...variants: readonly Published[]) {
      db.transaction(() => {
        for (const variant of variants) writePassage(db, workspaceId, indexPassage(complete(variant)));
      })();
    },
    remove(workspaceId: string, articleId: string, locale?: string) {
      db.transaction(() => removePassages(db, workspaceId, articleId, locale))();
    },
    passages: (workspaceId: string) =>
      sqlitePassages({ db: read, read: async (query) => query() }, workspaceId),
    close() {
      read.close();
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Corpus = ReturnType<typeof openCorpus>;

/** Fills in defaults. Without a `translationId`, the variant is the article itself. */
export function complete(variant: Published): PublishedVariant {
  return { slug: variant.articleId, revision: 1, sourceRevision: 1, aliases: [], stale: false, ...variant };
}

/** A small help center of a fictional bicycle rental, with visitors' questions. */
export const english: readonly Published[] = [
  {
    articleId: 'unlock',
    title: 'Unlock a bicycle',
    aliases: ['start a ride'],
    answer:
      'Every bicycle carries a square code above the rear wheel. Scan it with the app and wait for the green light. If the lock stays shut, hold your phone closer and try once more. A ride starts when the bolt springs open.',
  },
  {
    articleId: 'return',
    title: 'End your ride',
    aliases: ['give back', 'drop off'],
    answer:
      'Park the bicycle at any station or inside the zone marked blue on the map. Push the bolt down until it clicks. The app confirms the end within a minute. Outside the blue zone we charge a collection fee of 12 euros.',
  },
  {
    articleId: 'refund',
    title: 'Get money back',
    aliases: ['reimbursement'],
    answer:
      'You can ask for a refund within 30 days of a ride. Open the receipt and tap on Dispute. Our team answers within two working days. Approved sums return to the card that paid.',
  },
  {
    articleId: 'helmet',
    title: 'Helmets',
    answer:
      'Helmets hang in a drawer under the saddle of cargo bicycles only. Elsewhere please bring your own. Riders under sixteen must wear one by law.',
  },
  {
    articleId: 'damage',
    title: 'Report a damaged bicycle',
    answer:
      'Tap the wrench beside the map and choose what is broken. A flat tyre does not end your ride by itself. Mechanics collect reported bicycles overnight. You are not charged for the minutes after the report.',
  },
  {
    articleId: 'password',
    title: 'Change your password',
    answer:
      'Open Account and then Security. Enter the old password once and the new one twice. We sign you out on all other phones.',
  },
  {
    articleId: 'invoice',
    title: 'Invoices for companies',
    answer:
      'Business accounts receive one invoice on the first day of each month. Add your tax number under Billing. Past invoices can be downloaded as documents for seven years.',
  },
  {
    articleId: 'winter',
    title: 'Riding in winter',
    answer:
      'From November the fleet carries tyres with studs. Batteries lose a third of their range in frost. Below minus fifteen degrees the service pauses.',
  },
].map((article) => ({ ...article, locale: 'en' }));

export const german: readonly Published[] = [
  {
    articleId: 'unlock',
    title: 'Fahrrad entsperren',
    answer:
      'Jedes Fahrrad trägt einen quadratischen Code über dem Hinterrad. Scanne ihn mit der App und warte auf das grüne Licht. Bleibt das Schloss zu, halte das Telefon näher heran. Die Fahrt beginnt, wenn der Riegel aufspringt.',
  },
  {
    articleId: 'refund',
    title: 'Geld zurückbekommen',
    answer:
      'Eine Erstattung kannst du innerhalb von 30 Tagen nach der Fahrt verlangen. Öffne den Beleg und tippe auf Einspruch. Unser Team antwortet innerhalb von zwei Werktagen. Bewilligte Beträge gehen auf die Karte zurück, mit der bezahlt wurde.',
  },
].map((article) => ({ ...article, locale: 'de', translationId: `tr_de_${article.articleId}` }));

export const chinese: readonly Published[] = [
  {
    articleId: 'winter',
    locale: 'zh-Hans',
    translationId: 'tr_zh_winter',
    title: '冬季骑行',
    answer: '从十一月开始，车辆配备带钉轮胎。电池在严寒中会损失三分之一的续航。低于零下十五度时服务暂停。',
  },
];

/** Question, article id, and words that one of the two quoted sentences must contain. */
export const questions: readonly (readonly [string, string, string])[] = [
  ['How do I unlock the bike?', 'unlock', 'Scan it with the app'],
  ['the lock stays shut, what now?', 'unlock', 'hold your phone closer'],
  ['where can I park at the end of a ride', 'return', 'any station'],
  ['how much is the collection fee', 'return', '12 euros'],
  ['drop off', 'return', ''],
  ['When will I get my refund?', 'refund', '30 days'],
  ['reimbursment for a ride', 'refund', ''],
  ['Do children have to wear a helmet?', 'helmet', 'must wear one'],
  ['flat tyre', 'damage', 'flat tyre'],
  ['the bicycle is broken, how can I report it', 'damage', 'what is broken'],
  ['forgot password', 'password', 'old password'],
  ['download invoices of last year', 'invoice', 'downloaded'],
  ['tax number on the invoice', 'invoice', 'tax number'],
  ['can I ride when there is frost', 'winter', 'frost'],
];

export const unanswerable: readonly string[] = [
  'Which wine goes with grilled salmon?',
  'Who won the chess championship in 1972?',
  'My dog ate chocolate yesterday evening',
  'quarterly revenue of the parent corporation',
];
