import '@mantine/dates/styles.css';
import 'dayjs/locale/de.js';
import { DatePickerInput, DatesProvider } from '@mantine/dates';
import { useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Days } from './days.ts';

type DayRangeProps = {
  readonly label: string;
  readonly days: Days;
  /** Called once both ends are chosen, or none. */
  readonly choose: (days: Days) => void;
  readonly clearable?: boolean;
};

type Ends = [string | null, string | null];

/** A date range picker; both days are included. */
export function DayRange({ label, days, choose, clearable = true }: DayRangeProps) {
  const t = useTranslations('shell.days');
  const locale = useLocale();
  const format = useFormatter();
  const chosen: Ends = [days.from ?? null, days.to ?? null];
  const [known, setKnown] = useState(chosen.join());
  const [ends, setEnds] = useState(chosen);
  if (known !== chosen.join()) {
    setKnown(chosen.join());
    setEnds(chosen);
  }
  const shown = (day: string | null) =>
    day ? format.dateTime(new Date(day), { dateStyle: 'medium', timeZone: 'UTC' }) : '…';
  function change(next: Ends) {
    setEnds(next);
    const [from, to] = next;
    if ((from === null) === (to === null)) choose({ from: from ?? undefined, to: to ?? undefined });
  }
  return (
    <DatesProvider
      settings={{ locale: locale.split('-')[0] ?? 'en', firstDayOfWeek: getFirstDayOfWeek(locale) }}
    >
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
            ? date.map((day) => shown(day ? String(day) : null)).join(' – ')
            : ''
        }
        // Mantine's faint and red days miss the required text contrast.
        hideOutsideDates
        weekendDays={[]}
        popoverProps={{ attributes: { dropdown: { 'aria-label': label } } }}
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

/** Monday where the browser does not report the week of the locale. */
function getFirstDayOfWeek(locale: string): 0 | 1 | 6 {
  const { getWeekInfo } = Intl.Locale.prototype as { getWeekInfo?: () => { readonly firstDay: number } };
  const day = getWeekInfo?.call(new Intl.Locale(locale)).firstDay;
  return day === 7 ? 0 : day === 6 ? 6 : 1;
}
