import '@mantine/core/styles/Notification.css';
import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';

/** What is said in the corner; fetched behind the first page. */
export function Toasts() {
  return <Notifications position="bottom-right" />;
}
