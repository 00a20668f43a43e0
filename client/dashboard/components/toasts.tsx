import '@mantine/core/styles/Notification.css';
import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';

/** Loaded after the first page. More than two would hide each other's page; the others wait. */
export function Toasts() {
  return <Notifications position="bottom-right" limit={2} containerWidth={360} />;
}
