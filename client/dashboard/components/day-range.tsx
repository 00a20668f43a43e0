import '@mantine/dates/styles.css';
import { DatePickerInput, DatesProvider } from '@mantine/dates';
import dayjs from 'dayjs';
import timezone from 'dayjs/plugin/timezone.js';
import utc from 'dayjs/plugin/utc.js';
import { useState } from 'react';
import { type DateTimeFormatOptions, useFormatter, useLocale, useTranslations } from 'use-intl';

dayjs.extend(utc);
dayjs.extend(timezone);

/** Calendar days such as 2026-11-21, and their start and end in a time zone. */

/** Both days are included. */
export type Days = { from?: string | undefined; to?: string | undefined };

export const browserZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Drops anything that is not a valid day. */
export function parseDays({ from, to }: Days): Days {
  return { from: isDay(from) ? from : undefined, to: isDay(to) ? to : undefined };
}

/** Returns the start of the first day, and that of the day after the last one as the exclusive end. */
export function toTimeRange(
  { from, to }: Days,
  zone = browserZone,
): { from: Date | undefined; to: Date | undefined } {
  return {
    from: from ? startOfDay(from, zone) : undefined,
    to: to ? startOfDay(dayjs.utc(to).add(1, 'day').format(DAY), zone) : undefined,
  };
}

export function getDayBefore(count: number, zone = browserZone): string {
  return dayjs().tz(zone).subtract(count, 'day').format(DAY);
}

const DAY = 'YYYY-MM-DD';

const startOfDay = (day: string, zone: string) => dayjs.tz(`${day} 00:00`, zone).toDate();

function isDay(text: string | undefined): text is string {
  return /^\d{4}-\d\d-\d\d$/.test(text ?? '') && dayjs.utc(text).format(DAY) === text;
}

type DayRangeProps = {
  label: string;
  days: Days;
  /** Called once both ends are chosen, or both are cleared. */
  choose: (days: Days) => void;
  clearable?: boolean;
};

type Ends = [string | null, string | null];

/** A date range picker; both days are included. */
export function DayRange({ label, days, choose, clearable = true }: DayRangeProps) {
  const t = useTranslations('shell.days');
  const locale = useLocale();
  const format = useFormatter();
  const chosen: Ends = [days.from ?? null, days.to ?? null];
  const [lastChosen, setLastChosen] = useState(chosen.join());
  const [ends, setEnds] = useState(chosen);
  if (lastChosen !== chosen.join()) {
    setLastChosen(chosen.join());
    setEnds(chosen);
  }
  // Intl knows every language; Mantine would need a dayjs file for each.
  const createDayFormat = (options: DateTimeFormatOptions) => (day: string) =>
    format.dateTime(new Date(day), { ...options, timeZone: 'UTC' });
  const formatDay = createDayFormat({ dateStyle: 'medium' });
  function change(next: Ends) {
    setEnds(next);
    const [from, to] = next;
    if ((from === null) === (to === null)) choose({ from: from ?? undefined, to: to ?? undefined });
  }
  return (
    <DatesProvider settings={{ firstDayOfWeek: getFirstDayOfWeek(locale) }}>
      <DatePickerInput
        type="range"
        label={label}
        placeholder={t('any')}
        allowSingleDateInRange
        clearable={clearable}
        clearButtonProps={{ 'aria-label': t('clear') }}
        value={ends}
        onChange={change}
        // Discard a range with a single end.
        onDropdownClose={() => setEnds((before) => (before.includes(null) ? chosen : before))}
        valueFormatter={({ date }) =>
          Array.isArray(date) && date.some(Boolean)
            ? date.map((day) => (day ? formatDay(String(day)) : '…')).join(' – ')
            : ''
        }
        getDayAriaLabel={createDayFormat({ dateStyle: 'long' })}
        weekdayFormat={createDayFormat({ weekday: 'short' })}
        monthLabelFormat={createDayFormat({ month: 'long', year: 'numeric' })}
        monthsListFormat={createDayFormat({ month: 'short' })}
        // Mantine's faint and red days miss the required text contrast.
        hideOutsideDates
        weekendDays={[]}
        popoverProps={{ withinPortal: false, attributes: { dropdown: { 'aria-label': label } } }}
        miw={220}
        ariaLabels={{
          nextMonth: t('nextMonth'),
          previousMonth: t('previousMonth'),
          nextYear: t('nextYear'),
          previousYear: t('previousYear'),
          nextDecade: t('nextDecade'),
          previousDecade: t('previousDecade'),
        }}
      />
    </DatesProvider>
  );
}

/** Returns the first day of the week: Monday if the browser does not know that of the locale. */
function getFirstDayOfWeek(locale: string): 0 | 1 | 6 {
  const { getWeekInfo } = Intl.Locale.prototype as { getWeekInfo?: () => { firstDay: number } };
  const day = getWeekInfo?.call(new Intl.Locale(locale)).firstDay;
  return day === 7 ? 0 : day === 6 ? 6 : 1;
}
