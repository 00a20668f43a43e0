import type { ReactNode } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';
import { CsvButton } from '../../components/download.tsx';
import { PageLink } from '../../components/links.tsx';
import { Card } from '../../components/page.tsx';
import { DataTable } from '../../components/table.tsx';
import { languageNames, regionNames } from '../../languages.ts';
import { useIsMissing, useWorkspace } from '../../session.ts';
import { NO_VALUE, useMetricFormat } from './metrics.ts';

type BreakdownProps = {
  title: string;
  lead: string;
  columns: readonly string[];
  rows: readonly {
    cells: readonly ReactNode[];
    /** The values without formatting. Defaults to `cells`, which are texts then. */
    csvValues?: readonly (string | number)[];
    /** Tells rows apart. Defaults to the cells. */
    key?: string;
    count: number;
  }[];
  /** The heading of the last column. */
  countHeading?: string;
};

/** The breakdowns of the figures, by the tab that shows them. */
export function useBreakdowns(analytics: Analytics) {
  const languages = useLanguages(analytics);
  const missing = useMissingLanguages(analytics);
  const simple = useSimpleBreakdowns(analytics);
  const searched = useSearched(analytics);
  const isFilled = ({ rows }: BreakdownProps) => rows.length > 0;
  return {
    articles: [searched, simple.fallbacks].filter(isFilled),
    audience: [missing, languages, simple.pages, simple.consents].filter(isFilled),
    quality: [simple.reasons].filter(isFilled),
    details: [simple.actions, simple.rateLimits].filter(isFilled),
  };
}

/** The words of searches; those that found nothing lead to an article about them. */
function useSearched({ searched }: Analytics): BreakdownProps {
  const t = useTranslations('analytics');
  const write = useTranslations('inbox.anonymous')('write');
  const { canEdit } = useWorkspace();
  return {
    title: t('searched'),
    lead: t('searchedLead'),
    columns: [t('searchedWords'), t('articlesFound')],
    countHeading: t('searchCount'),
    rows: searched.map(({ words, results, count }) => ({
      key: words,
      cells: [
        <bdi key="words">{words}</bdi>,
        results === 0 && canEdit ? (
          <PageLink key="results" to="/articles/new" search={{ title: words }}>
            {write}
          </PageLink>
        ) : (
          results
        ),
      ],
      csvValues: [words, results],
      count,
    })),
  };
}

/** Languages that visitors asked for and in which nothing is published. */
function useMissingLanguages({ languages }: Analytics): BreakdownProps {
  const t = useTranslations('analytics');
  const name = languageNames(useLocale());
  const { canEdit } = useWorkspace();
  const isMissing = useIsMissing();
  return {
    title: t('missingLanguages'),
    lead: t('missingLanguagesLead'),
    columns: [t('language')],
    countHeading: t('questions'),
    rows: languages
      .filter(({ locale }) => isMissing(locale))
      .map(({ locale, turns }) => ({
        key: locale,
        cells: [
          canEdit ? (
            <PageLink key={locale} to="/articles" search={{ task: `missing:${locale}` }}>
              {t('translateInto', { language: name(locale) })}
            </PageLink>
          ) : (
            name(locale)
          ),
        ],
        csvValues: [locale],
        count: turns,
      })),
  };
}

/** Languages that visitors ask for, and how often they were answered in them. */
function useLanguages({ languages }: Analytics): BreakdownProps {
  const t = useTranslations('analytics');
  const name = languageNames(useLocale());
  const { share } = useMetricFormat();
  const isMissing = useIsMissing();
  const answeredIn = (locale: string, native: number, answered: number) => {
    if (isMissing(locale)) return t('missing');
    return answered === 0 ? NO_VALUE : share({ part: native, whole: answered });
  };
  return {
    title: t('languages'),
    lead: t('languagesLead'),
    columns: [t('language'), t('answered'), t('native')],
    countHeading: t('questions'),
    rows: languages.map(({ locale, turns, answered, native }) => ({
      cells: [name(locale), share({ part: answered, whole: turns }), answeredIn(locale, native, answered)],
      csvValues: [locale, answered, native],
      count: turns,
    })),
  };
}

const OUTCOMES = ['proposed', 'done', 'declined', 'missing', 'failed'] as const;

function useSimpleBreakdowns({ pages, reasons, fallbacks, totals, consents, hits }: Analytics) {
  const t = useTranslations('analytics');
  const reason = useTranslations('conversations.reasons');
  const region = regionNames(useLocale());
  const { share } = useMetricFormat();
  /** Names a value that the server may know before this page does. */
  const nameOf = (group: string, value: string) => {
    const key = `${group}.${value}` as 'reasons.base_language';
    return t.has(key) ? t(key) : value;
  };
  const { actions } = totals;
  const hasActions = actions.proposed + actions.confirmed + actions.declined > 0;
  return {
    pages: {
      title: t('pages'),
      lead: t('pagesLead'),
      columns: [t('page'), t('answered')],
      countHeading: t('questions'),
      rows: pages.map(({ path, turns, answered }) => ({
        cells: [path, share({ part: answered, whole: turns })],
        csvValues: [path, answered],
        count: turns,
      })),
    },
    reasons: {
      title: t('ratingReasons'),
      lead: t('ratingReasonsLead'),
      columns: [t('ratingReason')],
      rows: reasons.map((row) => ({
        cells: [reason(row.reason)],
        csvValues: [row.reason],
        count: row.count,
      })),
    },
    fallbacks: {
      title: t('fallbacks'),
      lead: t('fallbacksLead', { count: totals.citations }),
      columns: [t('reason')],
      rows: fallbacks.map((row) => ({ cells: [nameOf('reasons', row.reason)], count: row.count })),
    },
    actions: {
      title: t('actions'),
      lead: t('actionsLead'),
      columns: [t('outcome')],
      rows: hasActions
        ? OUTCOMES.map((name) => ({ cells: [t(`outcomes.${name}`)], count: actions[name] }))
        : [],
    },
    consents: {
      title: t('consents'),
      lead: t('consentsLead'),
      columns: [t('region'), t('mode'), t('decision')],
      rows: consents.map((row) => ({
        cells: [region(row.region), nameOf('modes', row.mode), t(`decisions.${row.decision}`)],
        count: row.count,
      })),
    },
    rateLimits: {
      title: t('rateLimits'),
      lead: t('rateLimitsLead'),
      columns: [t('limit')],
      rows: hits.map(({ bucket, count }) => ({ cells: [nameOf('buckets', bucket)], count })),
    },
  } satisfies Record<string, BreakdownProps>;
}

export function Breakdown({ title, lead, columns, rows, countHeading }: BreakdownProps) {
  const t = useTranslations('analytics');
  const countColumn = countHeading ?? t('count');
  const max = Math.max(...rows.map(({ count }) => count));
  const csv = (
    <CsvButton
      title={title}
      columns={[...columns, countColumn]}
      rows={rows.map(({ cells, csvValues = cells.map(String), count }) => [...csvValues, count])}
    />
  );
  return (
    <Card title={title} lead={lead} aside={csv} wide>
      <DataTable
        caption={title}
        minWidth={60 + columns.length * 70}
        maxHeight={320}
        rows={rows}
        getKey={({ key, cells }) => key ?? cells.join()}
        columns={[
          ...columns.map((label, index) => ({
            label,
            cell: ({ cells }: BreakdownProps['rows'][number]) => cells[index],
          })),
          {
            label: countColumn,
            align: 'end',
            width: columns.length > 2 ? '30%' : '40%',
            cell: ({ count }) => <Figure value={count} max={max} />,
          },
        ]}
      />
    </Card>
  );
}

type FigureProps = {
  value: number;
  /** The highest value of the column, which fills the cell. */
  max: number;
};

/** A number in a cell, and a bar that compares it with the rest of its column. */
export function Figure({ value, max }: FigureProps) {
  const format = useFormatter();
  return (
    <div className="figure">
      <span aria-hidden>
        <span className="figure-bar" style={{ width: `${(value / Math.max(1, max)) * 100}%` }} />
      </span>
      <span>{format.number(value)}</span>
    </div>
  );
}
