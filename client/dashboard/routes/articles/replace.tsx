import { Button, Checkbox, Group, Paper, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { ARTICLE_LIMITS } from '../../../../contract/limits/articles.ts';
import type { TextMatch } from '../../../../generated/types.ts';
import { ArticleTextLink } from '../../components/links.tsx';
import { Card, Muted, NotFound, Page } from '../../components/page.tsx';
import { List, useCursorList } from '../../components/table.tsx';
import { useAction } from '../../components/use-action.tsx';
import { languageNames } from '../../languages.ts';
import { useCoverage, useWorkspace } from '../../session.ts';
import { type Replacement, replaceAll } from './replace-text.ts';

type Search = { words: string; replacement: string; matchCase: boolean; locale: string | null };

/** Finds words in all articles, or in all translations of a language, and replaces those that are ticked. */
export default function ReplacePage() {
  const t = useTranslations('replace');
  const { canEdit } = useWorkspace();
  const [search, setSearch] = useState<Search>({
    words: '',
    replacement: '',
    matchCase: false,
    locale: null,
  });
  const [found, setFound] = useState<Pick<Search, 'words' | 'matchCase' | 'locale'>>();
  if (!canEdit) return <NotFound />;
  function submit(event: FormEvent) {
    event.preventDefault();
    const { words, matchCase, locale } = search;
    if (words !== '') setFound({ words, matchCase, locale });
  }
  const change = (part: Partial<Search>) => setSearch((before) => ({ ...before, ...part }));
  return (
    <Page title={t('title')} lead={t('lead')} crumbs={[{ label: t('articles'), to: '/articles' }]}>
      <Paper withBorder p="lg" component="form" role="search" onSubmit={submit}>
        <Stack>
          <Group align="flex-end" grow preventGrowOverflow={false}>
            <TextInput
              label={t('find')}
              required
              maxLength={ARTICLE_LIMITS.findTextCharsMax}
              dir="auto"
              value={search.words}
              onChange={({ currentTarget }) => change({ words: currentTarget.value })}
            />
            <TextInput
              label={t('replacement')}
              dir="auto"
              value={search.replacement}
              onChange={({ currentTarget }) => change({ replacement: currentTarget.value })}
            />
            <Texts locale={search.locale} change={(locale) => change({ locale })} />
          </Group>
          <Group>
            <Button type="submit" variant="default">
              {t('search')}
            </Button>
            <Checkbox
              label={t('matchCase')}
              checked={search.matchCase}
              onChange={({ currentTarget }) => change({ matchCase: currentTarget.checked })}
            />
          </Group>
        </Stack>
      </Paper>
      {found && <Matches key={JSON.stringify(found)} {...found} replacement={search.replacement} />}
    </Page>
  );
}

/** The articles themselves, or their translations in one of the languages that there are. */
function Texts({ locale, change }: { locale: string | null; change: (locale: string | null) => void }) {
  const t = useTranslations('replace');
  const name = languageNames(useLocale());
  const { data } = useCoverage();
  return (
    <Select
      label={t('texts')}
      allowDeselect={false}
      value={locale ?? ''}
      onChange={(value) => change(value || null)}
      data={[
        { value: '', label: t('originals') },
        ...(data?.locales ?? []).map((each) => ({
          value: each.locale,
          label: t('translations', { language: name(each.locale) }),
        })),
      ]}
    />
  );
}

const toKey = ({ articleId, translationId }: TextMatch) => translationId ?? articleId;
const toHitKey = (match: TextMatch, { field, at }: TextMatch['hits'][number]) =>
  `${toKey(match)} ${field} ${at}`;

function Matches({ words, matchCase, locale, replacement }: Search) {
  const t = useTranslations('replace');
  const { tenant } = useWorkspace();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [publishes, setPublishes] = useState(false);
  const list = useCursorList(['articles', 'find', { words, matchCase, locale }], (client) =>
    client.articles.find({ words, matchCase: matchCase || undefined, locale: locale ?? undefined }),
  );
  const ticked: Replacement[] = list.rows
    .map((match) => ({ match, hits: match.hits.filter((hit) => !left.has(toHitKey(match, hit))) }))
    .filter(({ hits }) => hits.length > 0);
  const count = ticked.reduce((sum, { hits }) => sum + hits.length, 0);
  const replace = useAction(() => replaceAll(tenant, ticked, { words: replacement, publishes }), {
    changes: ['articles', 'review-queue'],
    done: ({ changed, skipped }) => t('done', { changed, skipped }),
    undo: ({ changed, undo }) => (changed > 0 ? undo : undefined),
  });
  const toggle = (key: string) =>
    setLeft((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  return (
    <List list={list} empty={<Text role="status">{t('nothingFound')}</Text>}>
      {(rows) => (
        <Stack>
          <Group>
            <Button onClick={() => replace.mutate()} loading={replace.isPending} disabled={count === 0}>
              {t('replace', { count })}
            </Button>
            {locale === null ? (
              <Checkbox
                label={t('publish')}
                checked={publishes}
                onChange={({ currentTarget }) => setPublishes(currentTarget.checked)}
              />
            ) : (
              <Muted>{t('reviewed')}</Muted>
            )}
          </Group>
          {rows.map((match) => (
            <TextHits
              key={toKey(match)}
              match={match}
              replacement={replacement}
              left={left}
              toggle={toggle}
            />
          ))}
        </Stack>
      )}
    </List>
  );
}

type TextHitsProps = {
  match: TextMatch;
  replacement: string;
  /** The places that are not ticked. */
  left: ReadonlySet<string>;
  toggle: (key: string) => void;
};

function TextHits({ match, replacement, left, toggle }: TextHitsProps) {
  const { articleId, translationId, locale, title, hits } = match;
  const language = { lang: locale, dir: 'auto' } as const;
  return (
    <Card
      wide
      title={
        <ArticleTextLink articleId={articleId} translation={translationId && locale} lang={locale}>
          {title}
        </ArticleTextLink>
      }
    >
      <Stack gap="xs" component="ul" className="plain-list">
        {hits.map((hit) => (
          <li key={toHitKey(match, hit)}>
            <Checkbox
              checked={!left.has(toHitKey(match, hit))}
              onChange={() => toggle(toHitKey(match, hit))}
              label={
                <span {...language}>
                  {hit.before}
                  <del>{hit.match}</del>
                  {replacement !== '' && <ins>{replacement}</ins>}
                  {hit.after}
                </span>
              }
            />
          </li>
        ))}
      </Stack>
    </Card>
  );
}
