import { Anchor, Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { InboxQuestion } from '../../../sdk/types.ts';
import { ErrorMessage, Loading } from '../../components/page.tsx';
import { Muted } from '../../components/text.ts';
import { useTenantQuery } from '../../session.ts';

type ChooserProps = {
  /** The initial search text. */
  question: InboxQuestion | undefined;
  choose: (articleId: string) => void;
};

/** A button that opens a dialog to choose a published article. */
export function ArticleChooser({ question, choose }: ChooserProps) {
  const t = useTranslations('inbox');
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button size="sm" variant="default" onClick={() => setOpened(true)}>
        {t('link')}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={t('link')}>
        <ArticleSearch
          question={question}
          choose={(id) => {
            setOpened(false);
            choose(id);
          }}
        />
      </Modal>
    </>
  );
}

const WAIT_MILLIS = 250;
const ARTICLES_SHOWN = 8;

function ArticleSearch({ question, choose }: ChooserProps) {
  const t = useTranslations('inbox');
  const [text, setText] = useState(question?.question ?? '');
  const [searchText] = useDebouncedValue(text.trim(), WAIT_MILLIS);
  const search = useTenantQuery(
    ['search', searchText],
    (tenant, { signal }) =>
      tenant.search(searchText, {
        limit: ARTICLES_SHOWN,
        signal,
        ...(question && { locale: question.locale }),
      }),
    { enabled: searchText !== '', placeholderData: keepPreviousData },
  );
  const articles = search.data?.data ?? [];
  return (
    <Stack>
      <TextInput
        label={t('search')}
        description={t('linkLead')}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        data-autofocus
      />
      {search.isError ? (
        <ErrorMessage error={search.error} retry={search.refetch} />
      ) : search.isLoading ? (
        <Loading />
      ) : articles.length === 0 ? (
        <Text role="status">{t('noArticles')}</Text>
      ) : (
        <Stack gap="xs" component="ul" className="plain-list">
          {articles.map(({ articleId, title, snippet }) => (
            <li key={articleId}>
              <Anchor
                component="button"
                type="button"
                dir="auto"
                ta="start"
                onClick={() => choose(articleId)}
              >
                {title}
              </Anchor>
              <Muted dir="auto" lineClamp={2}>
                {snippet}
              </Muted>
            </li>
          ))}
        </Stack>
      )}
    </Stack>
  );
}
