import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { DayRange } from '../../components/day-range.tsx';
import { daysIn } from '../../components/days.ts';
import { useMembers } from '../../components/person.tsx';
import { useFilters } from '../../components/use-filters.ts';
import type { AuditSearch } from '../../router.tsx';
import { ACTIONS, useActionText } from './actions.ts';

export function AuditFilters() {
  const t = useTranslations();
  const text = useActionText();
  const members = useMembers();
  const { filters, change } = useFilters<AuditSearch>();
  const people = [
    ...[...members].map(([value, { email }]) => ({ value, label: email })),
    { value: 'operator', label: t('shell.operator') },
  ];
  // Somebody who has left is asked for by a link alone.
  if (filters.who && !people.some(({ value }) => value === filters.who)) {
    people.push({ value: filters.who, label: t('shell.formerMember') });
  }
  const groups = Object.entries(ACTIONS).map(([kind, actions]) => ({
    group: t(`audit.kinds.${kind as keyof typeof ACTIONS}`),
    items: [
      {
        value: `${kind}.`,
        label: t('audit.all', { kind: t(`audit.kinds.${kind as keyof typeof ACTIONS}`) }),
      },
      ...actions.map((name) => ({ value: `${kind}.${name}`, label: text(`${kind}.${name}`) })),
    ],
  }));
  return (
    <Stack>
      <Group role="search" align="flex-end" gap="sm">
        <Select
          label={t('audit.who')}
          placeholder={t('audit.anybody')}
          clearable
          searchable
          value={filters.who ?? null}
          onChange={(who) => change({ who })}
          data={people}
          w={260}
        />
        <Select
          label={t('audit.what')}
          placeholder={t('audit.anything')}
          clearable
          searchable
          value={filters.action ?? null}
          onChange={(action) => change({ action })}
          data={groups}
          w={300}
        />
        <DayRange label={t('shell.days.label')} days={daysIn(filters)} choose={change} />
      </Group>
      {filters.subject && (
        <Alert color="gray">
          <Group justify="space-between">
            <Text>{t('audit.ofOneSubject')}</Text>
            <Button variant="default" onClick={() => change({ subject: null })}>
              {t('audit.ofAllSubjects')}
            </Button>
          </Group>
        </Alert>
      )}
    </Stack>
  );
}
