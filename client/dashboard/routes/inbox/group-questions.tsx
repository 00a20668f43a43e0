import { List, Paper, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { ARTICLE_LIMITS } from '../../../../contract/limits/articles.ts';
import type { InboxGroup, InboxQuestion } from '../../../sdk/types.ts';
import { Muted } from '../../components/page.tsx';
import { toLanguage } from '../../languages.ts';
import { useTenantQuery } from '../../session.ts';

/** Reads the group of the inbox that a new article answers; reads nothing without an id. */
export function useInboxGroup(groupId: string | undefined) {
  return useTenantQuery(
    ['inbox', 'group', groupId],
    (tenant, options) => tenant.inbox.read(groupId ?? '', options),
    { enabled: groupId !== undefined },
  );
}

const SHOWN_MAX = 6;

/**
 * Drafts the title and search keywords of an article that answers these questions. Prefers questions in the article's
 * language.
 */
export function toDraft({ questions }: InboxGroup, locale: string) {
  const inLanguage = questions.filter((each) => toLanguage(each.locale) === toLanguage(locale));
  const texts = [
    ...new Set((inLanguage.length > 0 ? inLanguage : questions).map(({ question }) => question.trim())),
  ];
  const [title = '', ...others] = texts;
  const aliases = others.filter(({ length }) => length <= ARTICLE_LIMITS.aliasCharsMax).slice(0, SHOWN_MAX);
  return { title, aliases: inLanguage.length > 0 ? aliases : [] };
}

/** Returns each distinct wording once. */
export function listDistinct(questions: readonly InboxQuestion[]): InboxQuestion[] {
  return [
    ...new Map(questions.toReversed().map((each) => [each.question.trim(), each])).values(),
  ].toReversed();
}

/** Visitors' questions, beside the text that answers them. */
export function GroupQuestions({ group: { questions } }: { group: InboxGroup }) {
  const t = useTranslations('inbox');
  return (
    <Paper withBorder p="md" maw={820} component="section" aria-label={t('forGroup')}>
      <Stack gap="xs">
        <Text fw={600}>{t('forGroup')}</Text>
        <List size="sm">
          {listDistinct(questions)
            .slice(0, SHOWN_MAX)
            .map(({ messageId, question, locale }) => (
              <List.Item key={messageId}>
                <span dir="auto" lang={locale} className="wrap">
                  {question}
                </span>
              </List.Item>
            ))}
        </List>
        <Muted>{t('forGroupLead')}</Muted>
      </Stack>
    </Paper>
  );
}
