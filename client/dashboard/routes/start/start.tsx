import { Alert, Button, Checkbox, Group, List, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { REQUEST_LIMITS } from '../../../../contract/limits/requests.ts';
import {
  changeArticles,
  createCollection,
  listCollections,
  listSourceRunItems,
  listSources,
} from '../../../../generated/routes.ts';
import type { Source, SourceRun } from '../../../../generated/types.ts';
import { isGuideError } from '../../../sdk/errors.ts';
import type { TenantSettings } from '../../../sdk/types.ts';
import { ImportButton } from '../../components/buttons.tsx';
import { ArticleTextLink, ButtonLink, PageLink, useOpenPage } from '../../components/links.tsx';
import { ErrorMessage, Loading } from '../../components/loading.tsx';
import { Card, Note, Page } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.tsx';
import { LISTED } from '../../languages.ts';
import { useTenantQuery, useWorkspace } from '../../session.ts';
import { RequireEditor } from '../settings/settings.tsx';
import { Failure, RunProgress } from '../sources/run.tsx';
import { useAddressIssue } from '../sources/source-form.tsx';
import { isUnderWay, useRunReasons } from '../sources/source-queries.ts';
import { followWebsite, readWebsite } from './read-website.ts';
import { type FoundText, suggestCollections, suggestContact, suggestQuestions } from './suggestions.ts';

/** Turns the pages of the workspace's website into its first articles. */
export default function StartPage() {
  const t = useTranslations('start');
  const pages = useTranslations('shell.pages');
  const website = useWebsite();
  const settings = useTenantQuery(['settings'], (tenant, options) => tenant.settings.read(options));
  const error = website.error ?? settings.error;
  return (
    <Page title={t('title')} lead={t('lead')} crumbs={[{ label: pages('overview'), to: '' }]}>
      <RequireEditor>
        {error && <ErrorMessage error={error} retry={() => void website.refetch()} />}
        {website.data && settings.data ? (
          <Website source={website.data.source} settings={settings.data} />
        ) : (
          !error && <Loading />
        )}
      </RequireEditor>
    </Page>
  );
}

const POLL_MILLIS = 1000;

/** The first run of a new source begins within a second or two. */
const isBeingRead = ({ lastRun }: Source) => !lastRun || isUnderWay(lastRun);

/** Reads the newest source that is a website. */
const useWebsite = () =>
  useTenantQuery(
    ['sources', 'website'],
    async (tenant, { signal }) => {
      const { data } = await tenant.call(listSources, {
        query: { limit: REQUEST_LIMITS.pageRowsMax },
        signal,
      });
      return { source: data.find(({ type }) => type === 'website') };
    },
    {
      refetchInterval: ({ state: { data } }) =>
        data?.source && isBeingRead(data.source) ? POLL_MILLIS : false,
    },
  );

type WebsiteProps = { source: Source | undefined; settings: TenantSettings };

function Website({ source, settings }: WebsiteProps) {
  if (source && isBeingRead(source)) return <Reading run={source.lastRun} />;
  if (!source?.lastRun || !hasFound(source.lastRun)) return <NotRead source={source} settings={settings} />;
  return <Found source={source} run={source.lastRun} settings={settings} />;
}

const hasFound = ({ state, counts: { added, changed, unchanged } }: SourceRun) =>
  state !== 'failed' && state !== 'cancelled' && added + changed + unchanged > 0;

function Reading({ run }: { run: SourceRun | undefined }) {
  const t = useTranslations('start');
  return (
    <Stack>
      {run ? <RunProgress run={run} /> : <Loading />}
      <PageLink to="/installation" className="self-start">
        {t('skip')}
      </PageLink>
    </Stack>
  );
}

/** Says why nothing was read, and offers to read the website or to begin without it. */
function NotRead({ source, settings }: WebsiteProps) {
  const t = useTranslations('start');
  const shell = useTranslations('shell');
  const { tenant } = useWorkspace();
  const explain = useAddressIssue();
  const { failure } = source?.lastRun ?? {};
  const moved = failure?.reason === 'moved' ? failure.detail : undefined;
  const allowed = settings.allowedOrigins;
  const origin = moved ?? allowed.find((each) => !each.includes('*'));
  const read = useAction(
    async () => {
      if (source && moved) await followWebsite(tenant, source, moved, allowed);
      await readWebsite(tenant, origin ?? '', source);
    },
    { changes: ['sources', 'settings'], onError: (error) => isGuideError(error, 'request/invalid') },
  );
  const [issue] = isGuideError(read.error, 'request/invalid') ? (read.error.issues ?? []) : [];
  return (
    <Stack align="flex-start">
      {source && failure && <Failure failure={failure} source={source} />}
      {source?.lastRun?.state === 'done' && <NothingFound sourceId={source.id} runId={source.lastRun.id} />}
      {issue && (
        <Alert color="orange" className="wrap">
          {explain(issue) ?? issue.message}
        </Alert>
      )}
      {origin && (
        <Button onClick={() => read.mutate()} loading={read.isPending}>
          {moved ? t('allow', { origin }) : source ? shell('retry') : t('read', { origin })}
        </Button>
      )}
      <Text>{t('otherwise')}</Text>
      <Group>
        <ButtonLink to="/articles/new" variant="default">
          {t('write')}
        </ButtonLink>
        <ImportButton />
        <PageLink to="/installation">{t('skip')}</PageLink>
      </Group>
    </Stack>
  );
}

/** A few pages are enough to see why nothing was taken. */
const REFUSALS_SHOWN = 5;

function NothingFound({ sourceId, runId }: { sourceId: string; runId: string }) {
  const t = useTranslations('start');
  const sources = useTranslations('sources');
  const refused = useTenantQuery(['sources', sourceId, 'runs', runId, 'nothing'], (tenant, { signal }) =>
    tenant.call(listSourceRunItems, {
      params: { sourceId, runId },
      query: { outcome: 'refused', limit: REFUSALS_SHOWN },
      signal,
    }),
  );
  return (
    <>
      <Text>{t('nothing')}</Text>
      <List listStyleType="none" spacing="xs">
        {refused.data?.data.map(({ place, reason, detail }) => (
          <List.Item key={place}>
            <Text className="wrap" dir="ltr">
              {place}
            </Text>
            <Note className="wrap">
              {reason && sources(`reasons.${reason}`)} {detail}
            </Note>
          </List.Item>
        ))}
      </List>
    </>
  );
}

/** The drafts that came from the website. */
function Found({ source, run, settings }: { source: Source; run: SourceRun; settings: TenantSettings }) {
  const sources = useTranslations('sources');
  const drafts = useTenantQuery(['articles', 'start', source.id], (tenant, { signal }) =>
    tenant.articles
      .list({ source: source.id, status: 'draft', limit: REQUEST_LIMITS.pageRowsMax })
      .page(undefined, { signal }),
  );
  if (drafts.error) return <ErrorMessage error={drafts.error} retry={() => void drafts.refetch()} />;
  if (!drafts.data) return <Loading shape="table" />;
  // In the order in which they were read.
  const texts = drafts.data.data.toReversed().map(({ id, title, source: from }) => ({
    articleId: id,
    title,
    place: from?.place ?? '',
  }));
  return (
    <Stack>
      {texts.length === 0 ? (
        <PageLink to="/articles" search={{ source: source.id }}>
          {sources('showArticles')}
        </PageLink>
      ) : (
        <Choice texts={texts} settings={settings} />
      )}
      <NotTaken source={source} run={run} />
    </Stack>
  );
}

/** Leads to the pages that were not taken, and to the setting for more pages where the website has more. */
function NotTaken({ source: { id, website }, run }: { source: Source; run: SourceRun }) {
  const t = useTranslations('start');
  const refusals = useRunReasons({ sourceId: id, runId: run.id }, run.state);
  const hasMore = refusals.data?.data.some(({ reason }) => reason === 'too_many_pages');
  return (
    <Stack gap="xs" align="flex-start">
      {hasMore && website?.pagesMax !== undefined && (
        <PageLink to={`/sources/${id}`} size="sm">
          {t('more', { count: website.pagesMax })}
        </PageLink>
      )}
      <PageLink to={`/sources/${id}/runs/${run.id}`} size="sm">
        {t('leftOut', { count: run.counts.refused })}
      </PageLink>
    </Stack>
  );
}

type ChoiceProps = { texts: readonly FoundText[]; settings: TenantSettings };

function Choice({ texts, settings }: ChoiceProps) {
  const t = useTranslations('start');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(texts.map(({ articleId }) => articleId)),
  );
  const [isSorted, setIsSorted] = useState(true);
  const [url, setUrl] = useState(
    () => settings.contact?.url ?? suggestContact(texts.map(({ place }) => place)) ?? '',
  );
  const [questions, setQuestions] = useState<readonly string[]>();
  const publish = usePublish(settings);
  const ticked = texts.filter(({ articleId }) => chosen.has(articleId));
  const collections = suggestCollections(ticked);
  const shownQuestions = questions ?? suggestQuestions(ticked, collections);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <FoundTexts texts={texts} chosen={chosen} setChosen={setChosen} />
      <Stack>
        <Card title={t('suggestions')} wide id="suggestions" tabIndex={-1}>
          {collections.length > 0 && (
            <Collections groups={collections} isSorted={isSorted} setIsSorted={setIsSorted} />
          )}
          <Stack gap="xs" role="group" aria-label={t('questions')}>
            <Text size="sm">{t('questions')}</Text>
            {shownQuestions.map((question, at) => (
              <TextInput
                // biome-ignore lint/suspicious/noArrayIndexKey: the questions have no other identity
                key={at}
                aria-label={t('question', { number: at + 1 })}
                dir="auto"
                value={question}
                onChange={({ currentTarget }) => setQuestions(shownQuestions.with(at, currentTarget.value))}
              />
            ))}
          </Stack>
          <TextInput
            label={t('contact')}
            description={t('contactHint')}
            type="url"
            dir="ltr"
            placeholder="https://www.example.com/contact"
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </Card>
        <Group>
          <Button
            disabled={ticked.length === 0}
            loading={publish.isPending}
            onClick={() =>
              publish.mutate({
                articleIds: ticked.map(({ articleId }) => articleId),
                collections: isSorted ? collections : [],
                url: url.trim(),
                questions: shownQuestions,
              })
            }
          >
            {t('publish', { count: ticked.length })}
          </Button>
          <PageLink to="/installation">{t('later')}</PageLink>
        </Group>
      </Stack>
    </SimpleGrid>
  );
}

type FoundTextsProps = {
  texts: readonly FoundText[];
  chosen: ReadonlySet<string>;
  setChosen: (ids: ReadonlySet<string>) => void;
};

function FoundTexts({ texts, chosen, setChosen }: FoundTextsProps) {
  const t = useTranslations('start');
  const isAll = chosen.size === texts.length;
  return (
    <Card isRegion title={t('found', { count: texts.length })} lead={t('foundLead')} wide>
      <Checkbox
        label={t('all')}
        checked={isAll}
        indeterminate={!isAll && chosen.size > 0}
        onChange={() => setChosen(new Set(isAll ? [] : texts.map(({ articleId }) => articleId)))}
      />
      <a href="#suggestions" className="skip">
        {t('skipList')}
      </a>
      <List listStyleType="none" spacing="xs" className="found-texts">
        {texts.map(({ articleId, title, place }) => (
          <List.Item key={articleId}>
            <Group gap="sm" wrap="nowrap" align="flex-start">
              <Checkbox
                aria-label={t('select', { title })}
                checked={chosen.has(articleId)}
                onChange={({ currentTarget }) => {
                  const others = [...chosen].filter((id) => id !== articleId);
                  setChosen(new Set(currentTarget.checked ? [...others, articleId] : others));
                }}
              />
              <div>
                <ArticleTextLink articleId={articleId} className="wrap">
                  {title}
                </ArticleTextLink>
                <Note className="wrap" dir="ltr">
                  {place}
                </Note>
              </div>
            </Group>
          </List.Item>
        ))}
      </List>
    </Card>
  );
}

type CollectionsProps = {
  groups: ReturnType<typeof suggestCollections>;
  isSorted: boolean;
  setIsSorted: (isSorted: boolean) => void;
};

function Collections({ groups, isSorted, setIsSorted }: CollectionsProps) {
  const t = useTranslations('start');
  const format = useFormatter();
  const names = groups.map(({ name, articleIds }) => `${name} (${format.number(articleIds.length)})`);
  return (
    <Checkbox
      label={t('collections')}
      description={<bdi>{format.list(names, LISTED)}</bdi>}
      checked={isSorted}
      onChange={({ currentTarget }) => setIsSorted(currentTarget.checked)}
    />
  );
}

type Publication = {
  articleIds: readonly string[];
  collections: ReturnType<typeof suggestCollections>;
  url: string;
  questions: readonly string[];
};

/** Publishes the articles with what was suggested for them, and goes on to the installation. */
function usePublish(settings: TenantSettings) {
  const t = useTranslations('start');
  const { tenant } = useWorkspace();
  const open = useOpenPage();
  return useAction(
    async ({ articleIds, collections, url, questions }: Publication) => {
      const known = await tenant.call(listCollections);
      for (const { name, articleIds: ids } of collections) {
        const { id: collectionId } =
          known.data.find((each) => each.name === name) ??
          (await tenant.call(createCollection, { body: { name } }));
        await tenant.call(changeArticles, { body: { action: 'move', articleIds: [...ids], collectionId } });
      }
      const suggestions = questions.map((question) => question.trim()).filter((question) => question !== '');
      const hasContact = url !== '' && url !== settings.contact?.url;
      await tenant.settings.change({ suggestions, ...(hasContact && { contact: { url } }) });
      return tenant.call(changeArticles, { body: { action: 'publish', articleIds: [...articleIds] } });
    },
    {
      changes: ['articles', 'settings'],
      done: ({ done }) => t('published', { count: done }),
      onDone: () => open('/installation'),
    },
  );
}
