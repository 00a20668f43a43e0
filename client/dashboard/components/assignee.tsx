import { Button, Menu } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { MemberName, useMembers } from './attribution.tsx';
import { Icon } from './icon.tsx';

type AssigneeProps = { assigneeId: string | undefined; assign: (assigneeId: string | null) => void };

/** The member that something is assigned to; a menu changes that. */
export function Assignee({ assigneeId, assign }: AssigneeProps) {
  const t = useTranslations('inbox');
  const members = useMembers();
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="default"
          size="compact-sm"
          mih={32}
          fw={400}
          rightSection={<Icon name="selector" size={12} />}
        >
          <span className="unseen">{t('assign')}: </span>
          {assigneeId ? <MemberName id={assigneeId} /> : t('nobody')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} className="scrolling">
        <Menu.Item onClick={() => assign(null)}>{t('nobody')}</Menu.Item>
        {[...members.keys()].map((id) => (
          <Menu.Item key={id} onClick={() => assign(id)}>
            <MemberName id={id} />
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
