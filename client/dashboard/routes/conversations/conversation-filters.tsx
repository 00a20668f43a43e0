import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useLocale, useTranslations } from 'use-intl';
import { DayRange } from '../../components/day-range.tsx';
import { daysIn } from '../../components/days.ts';
import { TextLink } from '../../components/text-link.tsx';
import { useFilters } from '../../components/use-filters.ts';
import { languageChoices } from '../../languages.ts';
import type { ConversationSearch } from '../../router.tsx';
import { useWorkspace } from '../../session.ts';
import { SearchField } from './search-field.tsx';

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
        <DayRange label={t('shell.days.label')} days={daysIn(filters)} choose={change} />
      </Group>
      <HandlerInput />
      {filters.visitor && (
        <Alert color="gray">
          <Group justify="space-between">
            <Text>{t('conversations.ofOneVisitor')}</Text>
            <Button variant="default" onClick={() => change({ visitor: null })}>
              {t('conversations.ofAllVisitors')}
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

/** Came from a question: which one, and what to do about it. */
function HandlerInput() {
  const t = useTranslations('conversations');
  const { tenantId, mayChange } = useWorkspace();
  const { filters, change } = useFilters<ConversationSearch>();
  const { question } = filters;
  if (!question) return null;
  return (
    <Alert color="blue" title={t('asked')}>
      <Stack gap="xs" align="flex-start">
        <Text dir="auto" className="wrap" fw={600}>
          {question}
        </Text>
        <Group>
          {mayChange && (
            <TextLink to="/w/$tenantId/articles/new" params={{ tenantId }} search={{ title: question }}>
              {t('write')}
            </TextLink>
          )}
          <Button variant="default" onClick={() => change({ question: null })}>
            {t('notOnlyThis')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
