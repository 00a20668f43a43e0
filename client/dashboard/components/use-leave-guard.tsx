import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useBlocker } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';

/** Asks for confirmation before leaving a page with unsaved changes. */
export function useLeaveGuard(
  unsaved: boolean,
  { message, onLeave }: { readonly message?: string; readonly onLeave?: () => void } = {},
): void {
  const t = useTranslations('settings');
  const confirmLeave = () =>
    new Promise<boolean>((resolve) => {
      modals.openConfirmModal({
        title: t('leaveTitle'),
        children: <Text>{message ?? t('leaveLead')}</Text>,
        labels: { confirm: t('leave'), cancel: t('stay') },
        confirmProps: { color: 'red' },
        onConfirm: () => {
          onLeave?.();
          resolve(false);
        },
        onClose: () => resolve(true),
      });
    });
  useBlocker({ shouldBlockFn: confirmLeave, enableBeforeUnload: unsaved, disabled: !unsaved });
}
