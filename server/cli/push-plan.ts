import type { Tenant } from '../../client/sdk/tenant.ts';
import type { Article, ArticleSummary, Translation, TranslationContent } from '../../client/sdk/types.ts';
import type { ArticleInput } from '../knowledge/import/article-input.ts';

/** Plans a push: compares the folder with the service and sends only the differences. */

type TranslationInput = ArticleInput['translations'][number];
type ChangedTranslation = { readonly input: TranslationInput; readonly known: Translation | undefined };

export type PushPlan = {
  readonly created: readonly ArticleInput[];
  readonly changed: readonly {
    readonly article: ArticleInput;
    readonly known: Article;
    /** Whether the text differs; otherwise only its publication or its translations do. */
    readonly isEdited: boolean;
    /** Whether a person made the latest revision. */
    readonly byHand: boolean;
    readonly translations: readonly ChangedTranslation[];
  }[];
  /** Articles that the folder does not have, and that come from no source. */
  readonly missing: readonly ArticleSummary[];
  readonly unchanged: number;
};

export async function planPush(
  local: readonly ArticleInput[],
  tenant: Tenant,
  onProgress: (compared: number) => void,
): Promise<PushPlan> {
  const remote = new Map<string, ArticleSummary>();
  for await (const summary of tenant.articles.list({ limit: 100 })) remote.set(summary.slug, summary);
  const created: ArticleInput[] = [];
  const changed: PushPlan['changed'][number][] = [];
  for (const [at, article] of local.entries()) {
    const summary = remote.get(article.slug);
    remote.delete(article.slug);
    onProgress(at);
    if (!summary) {
      created.push(article);
      continue;
    }
    const known = await tenant.articles.read(summary.id);
    const isEdited = !isSame(known, article);
    // An article that was unpublished on purpose stays offline.
    const isLive = known.status === 'unpublished' || known.live?.changed === false;
    const translations = await listChangedTranslations(article, known, tenant);
    if (!isEdited && isLive && translations.length === 0) continue;
    const byHand = isEdited && !known.updatedBy.startsWith('ses_') && known.updatedBy !== 'operator';
    changed.push({ article, known, isEdited, byHand, translations });
  }
  const unchanged = local.length - created.length - changed.length;
  const missing = [...remote.values()].filter(({ source }) => source === undefined);
  return { created, changed, missing, unchanged };
}

type Text = { readonly title: string; readonly answer: string; readonly url?: string | undefined };

function isSame(known: Text & { readonly aliases: readonly string[] }, local: typeof known): boolean {
  return (
    known.title === local.title &&
    known.answer === local.answer &&
    known.url === local.url &&
    isSameList(known.aliases, local.aliases)
  );
}

const isSameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((text, at) => text === other[at]);

async function listChangedTranslations(
  { translations }: ArticleInput,
  { id }: Article,
  tenant: Tenant,
): Promise<ChangedTranslation[]> {
  if (translations.length === 0) return [];
  const known = new Map<string, Translation>();
  for await (const each of tenant.translations.list(id)) known.set(each.locale, each);
  return translations
    .map((input) => ({ input, known: known.get(input.locale) }))
    .filter(
      ({ input, known }) =>
        known === undefined ||
        known.status === 'archived' ||
        known.title !== input.title ||
        known.answer !== input.answer ||
        !isSameList(known.searchAliases, input.aliases),
    );
}

type Grant = {
  readonly translates: boolean;
  /** Whether the session may approve its own translations. */
  readonly publishesTranslations: boolean;
  readonly prune: boolean;
};

/** Sends the plan and returns the results of translations and deletions. */
export async function sendPlan(
  plan: PushPlan,
  tenant: Tenant,
  grant: Grant,
  onProgress: (text: string) => void,
) {
  const sent = { translations: 0, waiting: 0, skipped: 0, deleted: 0 };
  const sendTranslations = async (articleId: string, changed: readonly ChangedTranslation[]) => {
    if (!grant.translates) {
      sent.skipped += changed.length;
      return;
    }
    for (const translation of changed) {
      await sendTranslation(articleId, translation, tenant, grant);
      sent.translations += 1;
      if (!grant.publishesTranslations) sent.waiting += 1;
    }
  };
  for (const article of plan.created) {
    onProgress(`creating ${article.slug}`);
    const { slug, locale } = article;
    const draft = await tenant.articles.create({ slug, locale, ...toContent(article) });
    await tenant.articles.publish(draft);
    const translations = article.translations.map((input) => ({ input, known: undefined }));
    await sendTranslations(draft.id, translations);
  }
  for (const { article, known, isEdited, translations } of plan.changed) {
    onProgress(`updating ${article.slug}`);
    const edited = isEdited ? await tenant.articles.edit(known, toContent(article)) : known;
    if (edited.status !== 'unpublished' && edited.live?.changed !== false)
      await tenant.articles.publish(edited);
    await sendTranslations(known.id, translations);
  }
  for (const { id, slug } of grant.prune ? plan.missing : []) {
    onProgress(`deleting ${slug}`);
    await tenant.articles.delete(id);
    sent.deleted += 1;
  }
  return sent;
}

const toContent = ({ title, answer, aliases, url }: ArticleInput) => ({
  title,
  answer,
  aliases: [...aliases],
  ...(url === undefined ? {} : { url }),
});

async function sendTranslation(
  articleId: string,
  { input, known }: ChangedTranslation,
  tenant: Tenant,
  { publishesTranslations }: Grant,
): Promise<void> {
  const { translations } = tenant;
  const { locale, title, answer, aliases } = input;
  const text = { title, answer, searchAliases: [...aliases] };
  const draft =
    known === undefined
      ? await translations.create(articleId, { locale, ...text })
      : await editTranslation(known, text, tenant);
  const submitted = draft.status === 'draft' ? await translations.submit(draft) : draft;
  if (!publishesTranslations) return;
  const approved =
    submitted.status === 'in_review' ? await translations.review(submitted, 'approve') : submitted;
  if (approved.status === 'approved') await translations.publish(approved);
}

/** Edits a translation. Reads it again first, because the push may have changed its article. */
async function editTranslation(
  { articleId, id }: Translation,
  text: TranslationContent,
  { translations }: Tenant,
): Promise<Translation> {
  const known = await translations.read(articleId, id);
  const open = known.status === 'archived' ? await translations.restore(known) : known;
  return translations.edit(open, text);
}
