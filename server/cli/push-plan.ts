import type { Tenant } from '../../client/sdk/tenant.ts';
import type { Article, ArticleSummary, Translation, TranslationContent } from '../../client/sdk/types.ts';
import type { ArticleInput } from '../knowledge/import/article-input.ts';

/** Plans a push: compares the folder with the service and sends only the differences. */

type TranslationInput = ArticleInput['translations'][number];
type ChangedTranslation = { input: TranslationInput; current: Translation | undefined };

export type PushPlan = {
  created: readonly ArticleInput[];
  changed: readonly {
    article: ArticleInput;
    current: Article;
    /** Whether the text differs; otherwise only its publication or its translations do. */
    isEdited: boolean;
    /** Whether a person made the latest revision. */
    isEditedByPerson: boolean;
    translations: readonly ChangedTranslation[];
  }[];
  /** Articles that the folder does not have, and that come from no source. */
  missing: readonly ArticleSummary[];
  unchanged: number;
  /** Translations that differ, and that the session may not write. */
  skipped: number;
};

export async function planPush(
  local: readonly ArticleInput[],
  tenant: Tenant,
  { canTranslate }: Pick<Grant, 'canTranslate'>,
  onProgress: (compared: number) => void,
): Promise<PushPlan> {
  const remote = new Map<string, ArticleSummary>();
  for await (const summary of tenant.articles.list({ limit: 100 })) remote.set(summary.slug, summary);
  const created: ArticleInput[] = [];
  const changed: PushPlan['changed'][number][] = [];
  let skipped = 0;
  const filterAllowed = <T>(translations: readonly T[]): readonly T[] => {
    if (canTranslate) return translations;
    skipped += translations.length;
    return [];
  };
  for (const [at, article] of local.entries()) {
    const summary = remote.get(article.slug);
    remote.delete(article.slug);
    onProgress(at);
    if (!summary) {
      created.push({ ...article, translations: [...filterAllowed(article.translations)] });
      continue;
    }
    const current = await tenant.articles.read(summary.id);
    const isEdited = !isSame(current, article);
    // An article that was unpublished on purpose stays offline.
    const isLive = current.status === 'unpublished' || current.live?.changed === false;
    const translations = filterAllowed(await listChangedTranslations(article, current, tenant));
    if (!isEdited && isLive && translations.length === 0) continue;
    const isEditedByPerson =
      isEdited && !current.updatedBy.startsWith('ses_') && current.updatedBy !== 'operator';
    changed.push({ article, current, isEdited, isEditedByPerson, translations });
  }
  const unchanged = local.length - created.length - changed.length;
  const missing = [...remote.values()].filter(({ source }) => source === undefined);
  return { created, changed, missing, unchanged, skipped };
}

type Text = { title: string; answer: string; url?: string | undefined };

function isSame(current: Text & { aliases: readonly string[] }, local: typeof current): boolean {
  return (
    current.title === local.title &&
    current.answer === local.answer &&
    current.url === local.url &&
    isSameList(current.aliases, local.aliases)
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
  const current = new Map<string, Translation>();
  for await (const each of tenant.translations.list(id)) current.set(each.locale, each);
  return translations
    .map((input) => ({ input, current: current.get(input.locale) }))
    .filter(
      ({ input, current }) =>
        current === undefined ||
        current.status === 'archived' ||
        current.title !== input.title ||
        current.answer !== input.answer ||
        !isSameList(current.searchAliases, input.aliases),
    );
}

type Grant = {
  canTranslate: boolean;
  /** Whether the session may approve its own translations. */
  canPublishTranslations: boolean;
  prune: boolean;
};

/** Sends the plan and returns the results of translations and deletions. */
export async function sendPlan(
  plan: PushPlan,
  tenant: Tenant,
  grant: Grant,
  onProgress: (text: string) => void,
) {
  const sent = { translations: 0, waiting: 0, deleted: 0 };
  const sendTranslations = async (articleId: string, changed: readonly ChangedTranslation[]) => {
    for (const translation of changed) {
      await sendTranslation(articleId, translation, tenant, grant);
      sent.translations += 1;
      if (!grant.canPublishTranslations) sent.waiting += 1;
    }
  };
  for (const article of plan.created) {
    onProgress(`creating ${article.slug}`);
    const { slug, locale } = article;
    const draft = await tenant.articles.create({ slug, locale, ...toContent(article) });
    await tenant.articles.publish(draft);
    const translations = article.translations.map((input) => ({ input, current: undefined }));
    await sendTranslations(draft.id, translations);
  }
  for (const { article, current, isEdited, translations } of plan.changed) {
    onProgress(`updating ${article.slug}`);
    const edited = isEdited ? await tenant.articles.edit(current, toContent(article)) : current;
    if (edited.status !== 'unpublished' && edited.live?.changed !== false)
      await tenant.articles.publish(edited);
    await sendTranslations(current.id, translations);
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
  url,
});

async function sendTranslation(
  articleId: string,
  { input, current }: ChangedTranslation,
  tenant: Tenant,
  { canPublishTranslations }: Grant,
): Promise<void> {
  const { translations } = tenant;
  const { locale, title, answer, aliases } = input;
  const text = { title, answer, searchAliases: [...aliases] };
  const draft =
    current === undefined
      ? await translations.create(articleId, { locale, ...text })
      : await editTranslation(current, text, tenant);
  const submitted = draft.status === 'draft' ? await translations.submit(draft) : draft;
  if (!canPublishTranslations) return;
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
  const current = await translations.read(articleId, id);
  const open = current.status === 'archived' ? await translations.restore(current) : current;
  return translations.edit(open, text);
}
