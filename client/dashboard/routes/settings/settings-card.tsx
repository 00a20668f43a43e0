import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, type ReactNode, useId } from 'react';
import { useTranslations } from 'use-intl';
import { useWorkspace } from '../../session.ts';

/** What can be read in one go is not wider. */
const READABLE = 820;

/** A part of a page under a heading. */
export function Card({
  title,
  lead,
  wide = false,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  /** For a table with many columns. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Paper withBorder p="lg" maw={wide ? undefined : READABLE}>
      <CardContent id={useId()} title={title} lead={lead}>
        {children}
      </CardContent>
    </Paper>
  );
}

/** The same as a form that is saved by itself. */
export function SettingsCard({
  title,
  lead,
  form,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly form: {
    readonly submit: (event: FormEvent) => void;
    readonly discard: () => void;
    readonly dirty: boolean;
    readonly saving: boolean;
    readonly note: string;
  };
  readonly children: ReactNode;
}) {
  const t = useTranslations();
  const { mayChange } = useWorkspace();
  const id = useId();
  return (
    <Paper
      withBorder
      p="lg"
      component="form"
      onSubmit={form.submit}
      noValidate
      aria-labelledby={id}
      maw={READABLE}
    >
      <CardContent id={id} title={title} lead={lead}>
        {children}
        {mayChange && (
          <Group gap="sm" mih={44}>
            <Button type="submit" variant={form.dirty ? 'filled' : 'default'} loading={form.saving}>
              {t('shell.save')}
            </Button>
            {form.dirty && (
              <Button variant="default" onClick={form.discard} disabled={form.saving}>
                {t('settings.discard')}
              </Button>
            )}
            <Text role="status" size="sm" c="dimmed">
              {form.note}
            </Text>
          </Group>
        )}
      </CardContent>
    </Paper>
  );
}

function CardContent({
  id,
  title,
  lead,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Stack>
      <Stack gap={4}>
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {lead && (
          <Text size="sm" c="dimmed">
            {lead}
          </Text>
        )}
      </Stack>
      {children}
    </Stack>
  );
}
