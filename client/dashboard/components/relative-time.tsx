import { useFormatter, useNow } from 'use-intl';

/** The exact time is its title. */
export function RelativeTime({ at, exact = false }: { readonly at: string; readonly exact?: boolean }) {
  const format = useFormatter();
  const now = useNow({ updateInterval: 60_000 });
  const then = new Date(at);
  const whole = format.dateTime(then, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <time dateTime={at} title={whole}>
      {exact ? whole : format.relativeTime(then, now)}
    </time>
  );
}
