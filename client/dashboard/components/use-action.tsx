import { Button, Group, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { createStore, useStore } from '@mantine/store';
import { type QueryKey, type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { signedInAgain } from '../session.ts';
import { isTemporary, Loading, useErrorText } from './loading.tsx';

/** The queries to invalidate after success: how their keys begin, below the workspace in the URL. */
export type Changes = readonly (string | QueryKey)[];

/** Returns a function that invalidates queries: those of the account on its own pages, otherwise the workspace's. */
function useRefresh() {
  const client = useQueryClient();
  const { tenantId } = useParams({ strict: false });
  const base = tenantId === undefined ? [] : ['tenant', tenantId];
  return (changes: Changes) =>
    Promise.all(changes.map((key) => client.invalidateQueries({ queryKey: base.concat(key as string) })));
}

type ActionOptions<Answer, Input> = {
  changes?: Changes;
  /** Actions of the same queue are sent one after the other. */
  queue?: string;
  /** A toast after success. */
  done?: string | ((answer: Answer) => string);
  /** Reverts the action, if possible; offered by the toast. */
  undo?: (answer: Answer, input: Input) => (() => Promise<unknown>) | undefined;
  onDone?: (answer: Answer, input: Input) => void | Promise<void>;
  /** Returns true when the error was shown elsewhere, such as beside a field or as a conflict. */
  onError?: (error: unknown, input: Input) => boolean;
};

/**
 * Creates a mutation that asks for the password when the server requires it, or for a new sign-in when the session has
 * ended, and reports its outcome in a toast.
 */
export function useAction<Answer, Input = void>(
  act: (input: Input) => Promise<Answer>,
  { changes = [], queue, done, undo, onDone, onError }: ActionOptions<Answer, Input> = {},
): UseMutationResult<Answer, Error, Input> {
  const t = useTranslations('shell');
  const errorText = useErrorText();
  const confirmPassword = useConfirmPassword();
  const refresh = useRefresh();
  async function undoAction(revert: () => Promise<unknown>): Promise<void> {
    try {
      await revert();
      await refresh(changes);
      showToast(t('undone'));
    } catch (error) {
      if (!(await signedInAgain(error))) showToast(errorText(error), { isError: true });
    }
  }
  const mutation: UseMutationResult<Answer, Error, Input> = useMutation({
    ...(queue !== undefined && { scope: { id: queue } }),
    mutationFn: async (input: Input) => {
      try {
        return await act(input);
      } catch (error) {
        if (await signedInAgain(error)) return await act(input);
        if (!isGuideError(error, 'session/password_needed') || !(await confirmPassword())) throw error;
        return await act(input);
      }
    },
    onSuccess: async (answer, input) => {
      await refresh(changes);
      await onDone?.(answer, input);
      const revert = undo?.(answer, input);
      const action = revert && { label: t('undo'), run: () => void undoAction(revert) };
      if (done) showToast(typeof done === 'string' ? done : done(answer), { action });
    },
    onError: (error, input) => {
      if (onError?.(error, input) || SHOWN_ELSEWHERE.some((code) => isGuideError(error, code))) return;
      const retryButton = { label: t('retry'), run: () => mutation.mutate(input) };
      showToast(errorText(error), { isError: true, action: isTemporary(error) ? retryButton : undefined });
    },
  });
  return mutation;
}

type DeferredOptions<Input> = {
  /** Ids of the records that are hidden until the action is sent or undone. */
  ids: (input: Input) => readonly string[];
  changes: Changes;
  done: string | ((input: Input) => string);
  /** Called at once, for example to leave the page of a deleted record. */
  onStart?: () => unknown;
  onDone?: (input: Input) => void;
  /** Returns true when the error was shown elsewhere. */
  onError?: (error: unknown) => boolean;
};

/**
 * Defers an action that cannot be reverted until its toast, which offers to undo it, closes or the page is left. Until
 * then, `usePendingIds` contains the ids of the records.
 */
export function useDeferredAction<Input = void>(
  act: (input: Input, options: { keepalive: boolean }) => Promise<unknown>,
  { ids, changes, done, onStart, onDone, onError }: DeferredOptions<Input>,
): (input: Input) => void {
  const t = useTranslations('shell');
  const errorText = useErrorText();
  const refresh = useRefresh();
  const attempt = async (input: Input, keepalive: boolean) => {
    try {
      await act(input, { keepalive });
    } catch (error) {
      if (!(await signedInAgain(error))) throw error;
      await act(input, { keepalive });
    }
  };
  return (input) => {
    const call = defer({
      ids: ids(input),
      send: async ({ keepalive }) => {
        try {
          await attempt(input, keepalive);
          onDone?.(input);
        } catch (error) {
          if (!onError?.(error)) showToast(errorText(error), { isError: true });
        }
        await refresh(changes);
      },
    });
    void onStart?.();
    showToast(typeof done === 'string' ? done : done(input), {
      action: { label: t('undo'), run: call.cancel },
      onClose: () => void call.send(),
    });
  };
}

type Question = { title: string; lead: string; confirm: string; cancel?: string; isHarmless?: boolean };

/** Returns a function that asks before an action, by default one that takes something away. */
export function useConfirm() {
  const t = useTranslations('shell');
  return ({ title, lead, confirm, cancel = t('cancel'), isHarmless }: Question, act: () => void) =>
    modals.openConfirmModal({
      title,
      children: <Text>{lead}</Text>,
      labels: { confirm, cancel },
      confirmProps: isHarmless ? {} : { color: 'red' },
      onConfirm: act,
    });
}

/** Errors that a dialog handles, by asking for the password or a new sign-in, so no toast shows them. */
const SHOWN_ELSEWHERE = ['session/password_needed', 'session/unauthorized'] as const;

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
  { message, onLeave }: { message?: string; onLeave?: () => void } = {},
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

/** Calls that wait while their toast offers to undo them. */

type DeferredCall = {
  /** Ids that are shown as if the call had been made. */
  ids: readonly string[];
  /** `keepalive` when the page is being left. Must not throw. */
  send: (options: { keepalive: boolean }) => Promise<unknown>;
};

const waiting = new Set<DeferredCall>();
/** Ids of the calls that are waiting or running; replaced on every change. */
type Pending = { ids: ReadonlySet<string> };
const pending = createStore<Pending>({ ids: new Set() });

const forget = (call: DeferredCall) =>
  pending.setState(({ ids }: Pending) => ({ ids: new Set([...ids].filter((id) => !call.ids.includes(id))) }));

/** Defers the call until `send` or `cancel`; after one of them, the other does nothing. */
export function defer(call: DeferredCall) {
  waiting.add(call);
  pending.setState(({ ids }: Pending) => ({ ids: new Set([...ids, ...call.ids]) }));
  return {
    send: (keepalive = false) => sendNow(call, keepalive),
    cancel: () => {
      if (waiting.delete(call)) forget(call);
    },
  };
}

async function sendNow(call: DeferredCall, keepalive: boolean): Promise<void> {
  if (!waiting.delete(call)) return;
  await call.send({ keepalive });
  forget(call);
}

/** Sends all waiting calls, for example before the session ends. */
export async function sendDeferred(keepalive = false): Promise<void> {
  await Promise.all([...waiting].map((call) => sendNow(call, keepalive)));
}

addEventListener('pagehide', () => void sendDeferred(true));

/** Browsers send at most 64 KB after the page is closed: about 2,000 ids, less a margin. */
const IDS_AFTER_PAGE_MAX = 1_500;

addEventListener('beforeunload', (event) => {
  if (pending.getState().ids.size > IDS_AFTER_PAGE_MAX) event.preventDefault();
});

/** Returns the ids of records whose deletion, archiving or removal can still be undone. */
export const usePendingIds = (): ReadonlySet<string> => useStore(pending).ids;

type ToastOptions = {
  isError?: boolean;
  /** A button, such as to undo what the toast reports. */
  action?: { label: string; run: () => void } | undefined;
  /** Called when it has closed, automatically or by hand. */
  onClose?: () => void;
};

/** Time to read an error, or to decide about an action. */
const LONG_MILLIS = 12_000;

export function showToast(message: string, { isError = false, action, onClose }: ToastOptions = {}): void {
  const id = notifications.show({
    message: action ? (
      <Group justify="space-between" gap="xs">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          mih={32}
          variant="default"
          onClick={() => {
            action.run();
            notifications.hide(id);
          }}
        >
          {action.label}
        </Button>
      </Group>
    ) : (
      message
    ),
    onClose,
    color: isError ? 'red' : undefined,
    autoClose: isError || action ? LONG_MILLIS : undefined,
  });
}
