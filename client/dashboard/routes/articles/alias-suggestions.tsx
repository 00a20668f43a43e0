import { Button, CloseButton, Group, Stack, Text } from '@mantine/core';
import { useId } from 'react';
import { useTranslations } from 'use-intl';
import type { AliasSuggestion, Article } from '../../../sdk/types.ts';
import { IconPlus } from '../../components/icons.tsx';
import { useAction } from '../../components/use-action.tsx';
import { getDirection } from '../../languages.ts';
import { useTenantQuery, useWorkspace } from '../../session.ts';

type AliasSuggestionsProps = {
  readonly article: Pick<Article, 'id' | 'locale'>;
  /** Those of the form, which may not be saved yet. */
  readonly aliases: readonly string[];
  readonly accept: (alias: string) => void;
};

/** Keywords that translations suggest, to add to the form or to dismiss for good. */
export function AliasSuggestions({ article: { id, locale }, aliases, accept }: AliasSuggestionsProps) {
  const t = useTranslations('articles');
  const { tenant, tenantId } = useWorkspace();
  const headingId = useId();
  const key = ['articles', id, 'alias-suggestions'];
  const { data = [] } = useTenantQuery(key, (of, options) => of.articles.aliasSuggestions(id, options));
  const dismiss = useAction(
    ({ alias, locale }: AliasSuggestion) => tenant.articles.dismissAlias(id, { alias, locale }),
    { changes: [['tenant', tenantId, ...key]] },
  );
  const taken = new Set(aliases.map((alias) => alias.toLocaleLowerCase(locale)));
  const suggestions = data.filter(({ alias }) => !taken.has(alias.toLocaleLowerCase(locale)));
  if (suggestions.length === 0) return null;
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500} id={headingId}>
        {t('suggestedAliases')}
      </Text>
      <Text size="xs" c="dimmed">
        {t('suggestedAliasesHint')}
      </Text>
      <Group gap="xs" component="ul" className="plain-list" aria-labelledby={headingId}>
        {suggestions.map((suggestion) => (
          <Group key={suggestion.alias} component="li" gap={0} wrap="nowrap">
            <Button
              variant="light"
              size="compact-sm"
              leftSection={<IconPlus size={14} aria-hidden />}
              aria-label={t('addAlias', { alias: suggestion.alias })}
              onClick={() => accept(suggestion.alias)}
            >
              <span lang={locale} dir={getDirection(locale)}>
                {suggestion.alias}
              </span>
            </Button>
            <CloseButton
              size={28}
              aria-label={t('dismissAlias', { alias: suggestion.alias })}
              disabled={dismiss.isPending}
              onClick={() => dismiss.mutate(suggestion)}
            />
          </Group>
        ))}
      </Group>
    </Stack>
  );
}
