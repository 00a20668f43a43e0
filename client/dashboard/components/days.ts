import dayjs from 'dayjs';
import timezone from 'dayjs/plugin/timezone.js';
import utc from 'dayjs/plugin/utc.js';

dayjs.extend(utc);
dayjs.extend(timezone);

/** Calendar days such as 2026-11-21, and their start and end in a time zone. */

/** Both days are included. */
export type Days = { readonly from?: string | undefined; readonly to?: string | undefined };

export const ownZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Drops anything that is not a valid day. */
export function parseDays({ from, to }: Days): Days {
  return { ...(isDay(from) && { from }), ...(isDay(to) && { to }) };
}

/** `to` is exclusive: the start of the day after the last one. */
export function toTimeRange({ from, to }: Days, zone = ownZone): { from?: Date; to?: Date } {
  return {
    ...(from && { from: startOfDay(from, zone) }),
    ...(to && { to: startOfDay(dayjs.utc(to).add(1, 'day').format(DAY), zone) }),
  };
}

export function getDayBefore(count: number, zone = ownZone): string {
  return dayjs().tz(zone).subtract(count, 'day').format(DAY);
}

const DAY = 'YYYY-MM-DD';

const startOfDay = (day: string, zone: string) => dayjs.tz(`${day} 00:00`, zone).toDate();

function isDay(text: string | undefined): text is string {
  return /^\d{4}-\d\d-\d\d$/.test(text ?? '') && dayjs.utc(text).format(DAY) === text;
}
