import '@mantine/core/styles/Notification.css';
import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';

/** Loaded after the first page. More than two would take too much of a phone; the others wait. */
export function Toasts() {
  return <Notifications position="bottom-center" limit={2} withinPortal={false} />;
}
