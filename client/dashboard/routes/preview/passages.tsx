import { Anchor, Progress, Stack, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Preview } from '../../../sdk/types.ts';
import { ColumnHeadings } from '../../components/column-headings.tsx';
import { Mark } from '../../components/mark.tsx';
import { languageNames } from '../../language.ts';
import { useWorkspace } from '../../session.ts';

type Passage = Preview['findings']['passages'][number];

/** What was considered, best first, with how well it fits. */
export function Passages({ passages }: { readonly passages: readonly Passage[] }) {
  const t = useTranslations('tryIt');
  const format = useFormatter();
  const name = languageNames(useLocale());
  const { tenantId } = useWorkspace();
  if (passages.length === 0) return <Text>{t('noPassages')}</Text>;
  return (
    <Table.ScrollContainer minWidth={620}>
      <Table verticalSpacing="sm">
        <ColumnHeadings columns={[t('passage'), t('locale'), t('score'), t('cited')]} />
        <Table.Tbody>
          {passages.map((passage) => (
            <Table.Tr key={`${passage.articleId}:${passage.contentLocale}`}>
              <Table.Th scope="row" fw={400}>
                <Stack gap={2}>
                  <Anchor
                    component={Link}
                    to={`/w/${tenantId}/articles/${passage.articleId}`}
                    dir="auto"
                    lang={passage.contentLocale}
                    fw={600}
                  >
                    {passage.title}
                  </Anchor>
                  <Text size="sm" c="dimmed" lineClamp={2} dir="auto" lang={passage.contentLocale}>
                    {passage.snippet}
                  </Text>
                </Stack>
              </Table.Th>
              <Table.Td>
                {name(passage.contentLocale)}
                {passage.fallbackReason && (
                  <Text size="xs" c="dimmed">
                    {t(`fallback.${passage.fallbackReason}`, {
                      requested: name(passage.requestedLocale),
                      content: name(passage.contentLocale),
                    })}
                  </Text>
                )}
              </Table.Td>
              <Table.Td miw={120}>
                <Progress value={passage.confidence * 100} aria-hidden />
                <Text size="sm">
                  {format.number(passage.confidence, { style: 'percent', maximumFractionDigits: 0 })}
                </Text>
              </Table.Td>
              <Table.Td>
                {passage.cited ? <Mark color="green">{t('yes')}</Mark> : <Text size="sm">{t('no')}</Text>}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
