import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { Loading, useErrorText } from './page.tsx';

type ActionOptions<Answer, Input> = {
  /** Queries to invalidate after success. */
  readonly changes?: readonly QueryKey[];
  /** A toast after success. */
  readonly done?: string;
  readonly onDone?: (answer: Answer, input: Input) => void | Promise<void>;
  /** Returns true when the error was shown elsewhere, such as beside a field or as a conflict. */
  readonly onError?: (error: unknown, input: Input) => boolean;
};

/**
 * A mutation that asks for the password when the server requires it, and reports its outcome in a
 * toast.
 */
export function useAction<Answer, Input = void>(
  act: (input: Input) => Promise<Answer>,
  { changes = [], done, onDone, onError }: ActionOptions<Answer, Input> = {},
) {
  const client = useQueryClient();
  const errorText = useErrorText();
  const confirmPassword = useConfirmPassword();
  return useMutation({
    mutationFn: async (input: Input) => {
      try {
        return await act(input);
      } catch (error) {
        if (!isGuideError(error, 'session/password_needed') || !(await confirmPassword())) throw error;
        return await act(input);
      }
    },
    onSuccess: async (answer, input) => {
      await Promise.all(changes.map((queryKey) => client.invalidateQueries({ queryKey })));
      await onDone?.(answer, input);
      if (done) notifications.show({ message: done });
    },
    onError: (error, input) => {
      if (onError?.(error, input) || isGuideError(error, 'session/password_needed')) return;
      notifications.show({ color: 'red', message: errorText(error), autoClose: 12_000 });
    },
  });
}

/** Lazy: few actions need it. */
const PasswordForm = lazy(async () => ({ default: (await import('./password.tsx')).PasswordForm }));

/** Asks for the password again; resolves to whether it was confirmed. */
function useConfirmPassword(): () => Promise<boolean> {
  const t = useTranslations('shell');
  return () =>
    new Promise((resolve) => {
      const modalId = modals.open({
        title: t('confirmPassword'),
        children: (
          <Suspense fallback={<Loading />}>
            <PasswordForm
              onConfirmed={() => {
                resolve(true);
                modals.close(modalId);
              }}
              onCancel={() => modals.close(modalId)}
            />
          </Suspense>
        ),
        onClose: () => resolve(false),
      });
    });
}

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
