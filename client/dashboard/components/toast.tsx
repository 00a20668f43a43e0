import { Button, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';

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
      <Stack gap="xs" align="flex-start">
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
      </Stack>
    ) : (
      message
    ),
    ...(onClose && { onClose }),
    ...(isError && { color: 'red' }),
    ...((isError || action) && { autoClose: LONG_MILLIS }),
  });
}
