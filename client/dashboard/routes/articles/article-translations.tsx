import { Anchor, Button, Group, Paper, Select, Stack, Table, Text, Title } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { Article } from '../../../sdk/types.ts';
import { ColumnHeadings } from '../../components/column-headings.tsx';
import { StandingBadge, standingOf } from '../../components/coverage.tsx';
import { languageNames } from '../../language.ts';
import { languageChoices } from '../../languages.ts';
import { useWorkspace } from '../../session.ts';

/** How the article stands in each language, and the way into another one. */
export function ArticleTranslations({ article }: { readonly article: Article }) {
  const t = useTranslations();
  const name = languageNames(useLocale());
  const { tenantId, mayChange } = useWorkspace();
  const at = (locale: string) => `/w/${tenantId}/articles/${article.id}/translations/${locale}`;
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="translations">
      <Stack>
        <Stack gap={2}>
          <Title order={2} size="h4" id="translations">
            {t('articles.translations')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('articles.translationsLead')}
          </Text>
        </Stack>
        {article.translations.length > 0 && (
          <Table>
            <ColumnHeadings
              columns={[t('articles.language'), t('articles.standing'), t('articles.workingCopy')]}
            />
            <Table.Tbody>
              {article.translations.map((variant) => (
                <Table.Tr key={variant.translationId}>
                  <Table.Th scope="row" fw={400}>
                    <Anchor component={Link} to={at(variant.locale)}>
                      {name(variant.locale)}
                    </Anchor>
                  </Table.Th>
                  <Table.Td>
                    <StandingBadge standing={variant.live ? standingOf(variant) : 'missing'} />
                  </Table.Td>
                  <Table.Td>
                    <Text size="sm">
                      {t(`statuses.translation.${variant.status}`)}
                      {variant.stale && ` · ${t('statuses.stale')}`}
                    </Text>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        {mayChange && <AddTranslation article={article} at={at} />}
      </Stack>
    </Paper>
  );
}

function AddTranslation({
  article,
  at,
}: {
  readonly article: Article;
  readonly at: (locale: string) => string;
}) {
  const t = useTranslations('articles');
  const navigate = useNavigate();
  const [locale, setLocale] = useState<string | null>(null);
  const [tried, setTried] = useState(false);
  const taken = new Set([article.locale, ...article.translations.map((each) => each.locale)]);
  const choices = languageChoices(useLocale()).filter(({ value }) => !taken.has(value));
  function start(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (locale) void navigate({ to: at(locale) });
  }
  return (
    <Group component="form" align="flex-end" onSubmit={start}>
      <Select
        label={t('addLanguage')}
        searchable
        data={choices}
        value={locale}
        onChange={setLocale}
        error={tried && !locale && t('chooseLanguage')}
        className="grow"
      />
      <Button type="submit" variant="default">
        {t('addTranslation')}
      </Button>
    </Group>
  );
}
