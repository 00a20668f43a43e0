import { Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

export type PageProps = {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Actions on the whole page, beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/** A page with its title in the window and as a heading that takes the focus after navigation. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Guidepost`;
  }, [title]);
  useEffect(() => {
    // Focus the new page after a link was followed, unless a field has the focus.
    if (document.activeElement === document.body || document.activeElement?.closest('nav')) {
      heading.current?.focus({ preventScroll: true });
    }
  }, []);
  return (
    <Stack gap="lg" className="page">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4}>
          <Title order={1} size="h2" tabIndex={-1} ref={heading} dir="auto">
            {title}
          </Title>
          {lead && (
            <Text component="div" c="dimmed">
              {lead}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

/** A page outside of the shell, such as the sign-in. */
export function CenteredPage(page: PageProps) {
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={520}>
        <Page {...page} />
      </Paper>
    </Center>
  );
}
