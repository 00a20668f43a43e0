import { ActionIcon, Menu } from '@mantine/core';
import { type Icon, IconDots } from '@tabler/icons-react';

type MenuAction = {
  label: string;
  icon: Icon;
  run: () => void;
  /** Takes something away. */
  isDangerous?: boolean;
};

type ActionMenuProps = {
  label: string;
  actions: readonly (MenuAction | false | undefined)[];
  loading?: boolean;
};

/** A button that opens further actions. */
export function ActionMenu({ label, actions, loading }: ActionMenuProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={label} loading={loading}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions
          .filter((action) => action !== false && action !== undefined)
          .map((action) => (
            <Menu.Item
              key={action.label}
              c={action.isDangerous ? 'var(--mantine-color-error)' : undefined}
              leftSection={<action.icon size={16} aria-hidden />}
              onClick={action.run}
            >
              {action.label}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}
