import { Button, Menu, Text } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { SessionState } from '../../sdk/types.ts';

/** Which workspace is shown, and the way to the others. */
export function WorkspaceMenu({
  session,
  tenantId,
}: {
  readonly session: SessionState;
  readonly tenantId: string;
}) {
  const t = useTranslations('shell');
  const { memberships } = session;
  const name = memberships.find((each) => each.tenantId === tenantId)?.name ?? '';
  if (memberships.length < 2) {
    return (
      <Text truncate dir="auto">
        {name}
      </Text>
    );
  }
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="default"
          rightSection={<IconSelector size={16} aria-hidden />}
          aria-label={`${t('workspace')}: ${name}`}
        >
          <Text truncate dir="auto" maw={200}>
            {name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={400} className="scrolling">
        {memberships.map((each) => (
          <Menu.Item
            key={each.tenantId}
            component={Link}
            to={`/w/${each.tenantId}`}
            aria-current={each.tenantId === tenantId ? 'true' : undefined}
          >
            <span dir="auto">{each.name}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
