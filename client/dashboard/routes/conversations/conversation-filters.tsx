import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { DayRange } from '../../components/day-range.tsx';
import { parseDays } from '../../components/days.ts';
import { IconSearch } from '../../components/icons.tsx';
import { TextLink } from '../../components/links.tsx';
import { languageChoices } from '../../languages.ts';
import { type ConversationSearch, useFilters } from '../../search-params.ts';
import { useWorkspace } from '../../session.ts';

const RATINGS = ['up', 'down'] as const;

export function ConversationFilters() {
  const t = useTranslations();
  const locale = useLocale();
  const { filters, change } = useFilters<ConversationSearch>();
  return (
    <Stack>
      <Group role="search" align="flex-end" gap="sm">
        <SearchField
          label={t('conversations.search')}
          value={filters.q ?? ''}
          search={(q) => change({ q })}
        />
        <Select
          label={t('conversations.answers')}
          placeholder={t('conversations.any')}
          clearable
          value={filters.answered ?? null}
          onChange={(answered) => change({ answered })}
          data={[
            { value: 'yes', label: t('conversations.answered') },
            { value: 'no', label: t('conversations.unanswered') },
          ]}
          w={150}
        />
        <RatingSelect />
        <Select
          label={t('conversations.language')}
          placeholder={t('conversations.any')}
          clearable
          searchable
          value={filters.locale ?? null}
          onChange={(chosen) => change({ locale: chosen })}
          data={languageChoices(locale)}
          w={150}
        />
        <DayRange label={t('shell.days.label')} days={parseDays(filters)} choose={change} />
      </Group>
      <QuestionFilter />
      {filters.visitor && (
        <Alert color="gray">
          <Group justify="space-between">
            <Text>{t('conversations.visitorFilter')}</Text>
            <Button variant="default" onClick={() => change({ visitor: null })}>
              {t('conversations.clearVisitor')}
            </Button>
          </Group>
        </Alert>
      )}
    </Stack>
  );
}

export function RatingSelect() {
  const t = useTranslations('conversations');
  const { filters, change } = useFilters<ConversationSearch>();
  return (
    <Select
      label={t('rating')}
      placeholder={t('any')}
      clearable
      value={filters.rating ?? null}
      onChange={(rating) => change({ rating })}
      data={RATINGS.map((value) => ({ value, label: t(`ratings.${value}`) }))}
      w={165}
    />
  );
}

/** Set when the reader came from an unanswered question. */
function QuestionFilter() {
  const t = useTranslations('conversations');
  const { tenantId, canEdit } = useWorkspace();
  const { filters, change } = useFilters<ConversationSearch>();
  const { question } = filters;
  if (!question) return null;
  return (
    <Alert color="blue" title={t('questionFilter')}>
      <Stack gap="xs" align="flex-start">
        <Text dir="auto" className="wrap" fw={600}>
          {question}
        </Text>
        <Group>
          {canEdit && (
            <TextLink to="/w/$tenantId/articles/new" params={{ tenantId }} search={{ title: question }}>
              {t('write')}
            </TextLink>
          )}
          <Button variant="default" onClick={() => change({ question: null })}>
            {t('clearQuestion')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

type SearchFieldProps = {
  readonly label: string;
  readonly value: string;
  readonly search: (words: string) => void;
};

/** Searches once typing pauses. */
function SearchField({ label, value, search }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const [searched, setSearched] = useState(value);
  // The value was changed from outside, for example by clearing the filters.
  if (value !== searched) {
    setSearched(value);
    if (value !== typed.trim()) setTyped(value);
  }
  const searchSoon = useDebouncedCallback((words: string) => {
    setSearched(words);
    search(words);
  }, 300);
  return (
    <TextInput
      label={label}
      type="search"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        searchSoon(currentTarget.value.trim());
      }}
      className="grow"
    />
  );
}
