import { LIMITS } from '../../contract/limits.ts';
import type { translations } from '../../contract/translations.ts';
import { hasAtMostCharacters } from '../characters.ts';
import type { Clock } from '../clock.ts';
import { throwInvalidRequest } from '../http/errors.ts';
import type { Handlers, MemberCaller } from '../http/handler.ts';
import type { ArticleContent } from '../storage/passages.ts';
import type { Store } from '../storage/store.ts';
import { getArticle } from './article-changes.ts';
import { normalizeContent, normalizeLocale, normalizeText } from './article-content.ts';
import { toTranslationRecord, toTranslationRevisionRecord } from './records.ts';
import type { Indexing } from './search/indexing.ts';
import {
  applyEvent,
  type ChangeTranslationDeps,
  createTranslation,
  editTranslation,
  getTranslation,
  type Held,
  publishTranslation,
  restoreTranslation,
  reviewTranslation,
} from './translation-changes.ts';

/** Handlers for translations of articles. */

export type TranslationsDeps = {
  readonly store: Pick<Store, 'in'>;
  readonly clock: Clock;
  readonly indexing: Indexing;
};

export function translationsHandlers(deps: TranslationsDeps): Handlers<typeof translations> {
  const { store, clock, indexing } = deps;
  const stepping = ({ workspace, memberId: actor }: MemberCaller): ChangeTranslationDeps => {
    const { articles, translations } = store.in(workspace.id);
    return { articles, translations, indexing, clock, actor };
  };

  return {
    async listTranslations({ caller, params: { articleId } }) {
      const { articles, translations } = store.in(caller.workspace.id);
      const article = await getArticle(articleId, articles);
      const all = await translations.list(articleId);
      return { status: 200, body: { data: all.map((each) => toTranslationRecord(each, article)) } };
    },

    async createTranslation({ caller, params: { articleId }, body }) {
      const given = {
        locale: translatedLocale(body.locale),
        content: contentOf(body),
        baseRevision: body.baseRevision,
      };
      const held = await createTranslation(articleId, given, stepping(caller));
      return { status: 201, body: toTranslationRecord(held.translation, held.article) };
    },

    async readTranslation({ caller, params }) {
      const { articles, translations } = store.in(caller.workspace.id);
      const { translation, article } = await getTranslation(params, { articles, translations });
      const [rows, revisionCount] = await Promise.all([
        translations.revisions(translation.id, LIMITS.revisionsShown, translation.revision + 1),
        translations.countRevisions(translation.id),
      ]);
      const revisions = rows.map(toTranslationRevisionRecord);
      return {
        status: 200,
        body: { ...toTranslationRecord(translation, article), revisions, revisionCount },
      };
    },

    async editTranslation({ caller, params, body }) {
      const seen = { ...params, baseRevision: body.baseRevision };
      return answer(await editTranslation(seen, contentOf(body), stepping(caller)));
    },

    async submitTranslation({ caller, params, body }) {
      return answer(await applyEvent({ ...params, ...body }, 'submit', stepping(caller)));
    },

    async reviewTranslation({ caller, params, body: { baseRevision, decision, reviewNote } }) {
      const note = keptNote(reviewNote);
      if (decision === 'request_changes' && note === undefined) {
        refuseNote('missing_note', 'Whoever requests changes says which ones.');
      }
      const seen = { ...params, baseRevision };
      return answer(await reviewTranslation(seen, decision, note, stepping(caller)));
    },

    async publishTranslation({ caller, params, body }) {
      return answer(await publishTranslation({ ...params, ...body }, stepping(caller)));
    },

    async archiveTranslation({ caller, params, body }) {
      return answer(await applyEvent({ ...params, ...body }, 'archive', stepping(caller)));
    },

    async restoreTranslation({ caller, params, body }) {
      return answer(await restoreTranslation({ ...params, ...body }, stepping(caller)));
    },
  };
}

function answer({ translation, article }: Held) {
  return { status: 200, body: toTranslationRecord(translation, article) } as const;
}

type GivenText = {
  readonly title: string;
  readonly answer: string;
  readonly searchAliases?: readonly string[] | undefined;
};

function contentOf({ title, answer, searchAliases: aliases }: GivenText): ArticleContent {
  return normalizeContent({ title, answer, aliases }, 'body.searchAliases');
}

/**
 * Rejects extensions: visitors' languages are matched without them, so such a text would never be
 * served.
 */
function translatedLocale(tag: string): string {
  const locale = normalizeLocale(tag, 'body.locale');
  if (new Intl.Locale(locale).baseName === locale) return locale;
  return throwInvalidRequest({
    path: 'body.locale',
    code: 'invalid_locale',
    message: 'Expected a language tag without extensions, such as de or pt-BR.',
  });
}

function keptNote(given: string | undefined): string | undefined {
  const note = normalizeText(given ?? '').trim();
  const charsMax = LIMITS.reviewNoteCharsMax;
  if (!hasAtMostCharacters(charsMax, note)) {
    refuseNote('too_long', `In its composed form (NFC) it may have ${charsMax} characters.`);
  }
  return note === '' ? undefined : note;
}

function refuseNote(code: string, message: string): never {
  return throwInvalidRequest({ path: 'body.reviewNote', code, message });
}
