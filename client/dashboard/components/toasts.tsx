import '@mantine/core/styles/Notification.css';
import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';

/** Loaded after the first page. theme.css places the toasts where they cover nothing. */
export function Toasts() {
  return <Notifications position="bottom-left" />;
}
