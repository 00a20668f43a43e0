import {
  ActionIcon,
  type ActionIconProps,
  Button,
  type ButtonProps,
  CopyButton,
  Kbd,
  Menu,
  Tooltip,
} from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { useTranslations } from 'use-intl';
import { Icon, type IconName } from './icon.tsx';
import { ButtonLink } from './links.tsx';

type ReasonButtonProps = Pick<ButtonProps, 'variant' | 'loading' | 'leftSection' | 'children'> & {
  'aria-label'?: string;
  onClick: () => void;
  /** Why the button is disabled; undefined while it is enabled. */
  reason: string | undefined;
};

/** A button that stays focusable while it is disabled, so that the reason can be read. */
export function ReasonButton({ reason, onClick, ...button }: ReasonButtonProps) {
  const isDisabled = reason !== undefined;
  // Always render the tooltip: without it, the button would be mounted again and lose the focus.
  return (
    <Tooltip
      label={reason}
      disabled={!isDisabled}
      events={{ hover: true, focus: true, touch: true }}
      multiline
      maw={320}
      withinPortal={false}
      className="reason"
    >
      <Button
        onClick={(event) => (isDisabled ? event.preventDefault() : onClick())}
        {...(isDisabled && { 'data-disabled': true, 'aria-disabled': true, 'aria-description': reason })}
        {...button}
      />
    </Tooltip>
  );
}

export function CopyText({ text, label, ...props }: ButtonProps & { text: string; label?: string }) {
  const t = useTranslations('shell');
  return (
    <CopyButton value={text} timeout={4000}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          leftSection={copied ? <Icon name="check" /> : <Icon name="copy" />}
          onClick={copy}
          {...props}
        >
          <span aria-live="polite">{copied ? t('copied') : (label ?? t('copy'))}</span>
        </Button>
      )}
    </CopyButton>
  );
}

export function ImportButton() {
  const t = useTranslations('articles');
  return (
    <ButtonLink to="/sources/import" variant="default" leftSection={<Icon name="cloud-upload" size={18} />}>
      {t('importFiles')}
    </ButtonLink>
  );
}

type IconButtonProps = ActionIconProps &
  Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps> & {
    icon: IconName;
    iconSize?: number;
    label: string;
  };

/** A button that shows an icon, and whose name is read aloud. */
export function IconButton({ icon, iconSize = 18, label, ...button }: IconButtonProps) {
  return (
    <ActionIcon variant="default" size={36} aria-label={label} {...button}>
      <Icon name={icon} size={iconSize} />
    </ActionIcon>
  );
}

type MenuAction = {
  label: string;
  icon: IconName;
  run: () => void;
  /** Takes something away. */
  isDangerous?: boolean;
  /** Shown beside the label. */
  hotkey?: string;
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
        <IconButton icon="dots" label={label} loading={loading} />
      </Menu.Target>
      <Menu.Dropdown>
        {actions
          .filter((action) => action !== false && action !== undefined)
          .map((action) => (
            <Menu.Item
              key={action.label}
              c={action.isDangerous ? 'var(--mantine-color-error)' : undefined}
              leftSection={<Icon name={action.icon} />}
              rightSection={
                action.hotkey && (
                  <Kbd size="xs" aria-hidden>
                    {action.hotkey}
                  </Kbd>
                )
              }
              aria-keyshortcuts={action.hotkey}
              onClick={action.run}
            >
              {action.label}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}
