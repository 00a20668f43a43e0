import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import type { translations } from '../../contract/translations.ts';
import type { Clock } from '../base/clock.ts';
import { hasAtMostCharacters } from '../base/text.ts';
import { throwInvalidRequest } from '../http/errors.ts';
import type { Handlers, MemberCaller } from '../http/handler.ts';
import type { ArticleContent } from '../storage/passages.ts';
import type { Store } from '../storage/store.ts';
import type { StorageMeter } from '../workspaces/storage-meter.ts';
import { getArticle } from './article-changes.ts';
import { normalizeContent, normalizeContentLocale, normalizeText } from './article-content.ts';
import { toTranslationRecord, toTranslationRevisionRecord } from './records.ts';
import { parseFutureTime, scheduleTranslation } from './schedules.ts';
import type { Indexing } from './search/indexing.ts';
import {
  applyEvent,
  type ChangeTranslationDeps,
  createTranslation,
  deleteTranslation,
  editTranslation,
  getTranslation,
  publishTranslation,
  restoreTranslation,
  reviewTranslation,
  type TranslationRef,
  type TranslationWithArticle,
} from './translation-changes.ts';

type TranslationsDeps = {
  store: Pick<Store, 'in'>;
  clock: Clock;
  indexing: Indexing;
  storageMeter: Pick<StorageMeter, 'requireRoom'>;
};

export function translationsHandlers(deps: TranslationsDeps): Handlers<typeof translations> {
  const { store, clock, indexing } = deps;
  const toDeps = ({ workspace, memberId: actor }: MemberCaller): ChangeTranslationDeps => {
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
      deps.storageMeter.requireRoom(caller.workspace.id);
      const input = {
        locale: normalizeContentLocale(body.locale),
        content: toContent(body),
        baseRevision: body.baseRevision,
      };
      const created = await createTranslation(articleId, input, toDeps(caller));
      return { status: 201, body: toTranslationRecord(created.translation, created.article) };
    },

    async readTranslation({ caller, params }) {
      return { status: 200, body: await readDetails(params, store.in(caller.workspace.id)) };
    },

    async editTranslation({ caller, params, body }) {
      deps.storageMeter.requireRoom(caller.workspace.id);
      const { baseRevision, sourceRevision } = body;
      const base = { ...params, baseRevision };
      const edit = { content: toContent(body), sourceRevision };
      return toResponse(await editTranslation(base, edit, toDeps(caller)));
    },

    async deleteTranslation({ caller, params, query }) {
      await deleteTranslation({ ...params, baseRevision: Number(query.baseRevision) }, toDeps(caller));
      return { status: 200, body: { ok: true } };
    },

    async scheduleTranslation({ caller, params, body: { baseRevision, publishAt } }) {
      const at = parseFutureTime(publishAt, 'body.publishAt', clock);
      const { schedules } = store.in(caller.workspace.id);
      const base = { ...params, baseRevision };
      return toResponse(await scheduleTranslation(base, at, { ...toDeps(caller), schedules }));
    },

    ...workflowHandlers(toDeps),
  };
}

/** Returns the handlers that move a translation through its workflow. */
function workflowHandlers(toDeps: (caller: MemberCaller) => ChangeTranslationDeps) {
  return {
    async submitTranslation({ caller, params, body }) {
      return toResponse(await applyEvent({ ...params, ...body }, 'submit', toDeps(caller)));
    },

    async reviewTranslation({ caller, params, body: { baseRevision, decision, reviewNote } }) {
      const note = normalizeNote(reviewNote);
      if (decision === 'request_changes' && note === undefined) {
        throwInvalidNote('missing_note', 'A note is required when requesting changes.');
      }
      const base = { ...params, baseRevision };
      const mayApproveOwn = caller.automation?.mayApproveOwn ?? true;
      return toResponse(await reviewTranslation(base, decision, note, { ...toDeps(caller), mayApproveOwn }));
    },

    async publishTranslation({ caller, params, body }) {
      return toResponse(await publishTranslation({ ...params, ...body }, toDeps(caller)));
    },

    async archiveTranslation({ caller, params, body }) {
      return toResponse(await applyEvent({ ...params, ...body }, 'archive', toDeps(caller)));
    },

    async restoreTranslation({ caller, params, body }) {
      return toResponse(await restoreTranslation({ ...params, ...body }, toDeps(caller)));
    },
  } satisfies Partial<Handlers<typeof translations>>;
}

/** Returns the translation's record with its latest revisions. */
async function readDetails(
  ref: TranslationRef,
  { articles, translations }: Pick<ChangeTranslationDeps, 'articles' | 'translations'>,
) {
  const { translation, article } = await getTranslation(ref, { articles, translations });
  const [rows, revisionCount] = await Promise.all([
    translations.revisions(translation.id, ARTICLE_LIMITS.revisionsShown, translation.revision + 1),
    translations.countRevisions(translation.id),
  ]);
  const revisions = rows.map(toTranslationRevisionRecord);
  return { ...toTranslationRecord(translation, article), revisions, revisionCount };
}

function toResponse({ translation, article }: TranslationWithArticle) {
  return { status: 200, body: toTranslationRecord(translation, article) } as const;
}

type TextInput = {
  title: string;
  answer: string;
  searchAliases?: readonly string[] | undefined;
};

function toContent({ title, answer, searchAliases: aliases }: TextInput): ArticleContent {
  return normalizeContent({ title, answer, aliases }, 'body.searchAliases');
}

function normalizeNote(input: string | undefined): string | undefined {
  const note = normalizeText(input ?? '').trim();
  const charsMax = ARTICLE_LIMITS.reviewNoteCharsMax;
  if (!hasAtMostCharacters(charsMax, note)) {
    throwInvalidNote(
      'too_long',
      `Expected at most ${charsMax} characters after Unicode normalization (NFC).`,
    );
  }
  return note === '' ? undefined : note;
}

function throwInvalidNote(code: string, message: string): never {
  return throwInvalidRequest({ path: 'body.reviewNote', code, message });
}
