import { Paper, Tabs, Text, Textarea } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { getDirection } from '../languages.ts';
import { Markdown } from './markdown.tsx';

type AnswerFieldProps = {
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  readonly change: (answer: string) => void;
  readonly error: string | undefined;
  readonly locale: string;
  readonly readOnly: boolean;
};

/** A Markdown field with a preview. */
export function AnswerField({
  label,
  description,
  value,
  change,
  error,
  locale,
  readOnly,
}: AnswerFieldProps) {
  const t = useTranslations('editor');
  return (
    <Tabs defaultValue="write" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="write">{label}</Tabs.Tab>
        <Tabs.Tab value="preview">{t('preview')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="write" pt="sm">
        <Textarea
          label={label}
          description={description}
          required
          autosize
          minRows={10}
          maxRows={30}
          readOnly={readOnly}
          value={value}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          error={error}
          lang={locale}
          dir={getDirection(locale)}
        />
      </Tabs.Panel>
      <Tabs.Panel value="preview" pt="sm">
        <Paper withBorder p="md">
          {/\S/.test(value) ? (
            <Markdown text={value} locale={locale} />
          ) : (
            <Text c="dimmed">{t('nothingYet')}</Text>
          )}
        </Paper>
      </Tabs.Panel>
    </Tabs>
  );
}
