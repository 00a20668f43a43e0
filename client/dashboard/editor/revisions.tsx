import { Grid, Radio, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { MemberName, RelativeTime } from '../components/attribution.tsx';
import { Card, Note } from '../components/page.tsx';
import { DataTable } from '../components/table.tsx';
import { type Field, TextDiff } from './conflict.tsx';

export type Version<Content> = {
  revision: number;
  event: string;
  at: string;
  by: string;
  note?: string | undefined;
  content: Content;
};

type RevisionsProps<Content> = {
  /** Newest first. */
  versions: readonly Version<Content>[];
  fields: readonly Field<Content>[];
  locale: string;
  /** Follows the list, such as a button for more. */
  more?: ReactNode;
  /** An action on the older of the two chosen revisions. */
  action?: (older: Version<Content>) => ReactNode;
};

/** Lists revisions and compares two of them. */
export function Revisions<Content>({ versions, fields, locale, more, action }: RevisionsProps<Content>) {
  const [chosen, setChosen] = useState<{ older?: number; newer?: number }>({});
  const newer = chosen.newer ?? versions[0]?.revision;
  const older = chosen.older ?? versions[1]?.revision ?? newer;
  const find = (revision: number | undefined) => versions.find((each) => each.revision === revision);
  const [from, to] = [find(older), find(newer)];
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <VersionTable
          versions={versions}
          chosen={{ older, newer }}
          choose={(side, revision) => setChosen((before) => ({ ...before, [side]: revision }))}
        />
        {more}
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        {from && to && (
          <Comparison from={from} to={to} fields={fields} locale={locale}>
            {action?.(from)}
          </Comparison>
        )}
      </Grid.Col>
    </Grid>
  );
}

const SIDES = ['older', 'newer'] as const;
type Side = (typeof SIDES)[number];

type VersionTableProps = {
  versions: readonly Version<unknown>[];
  chosen: { readonly [side in Side]: number | undefined };
  choose: (side: Side, revision: number) => void;
};

function VersionTable({ versions, chosen, choose }: VersionTableProps) {
  const t = useTranslations('editor');
  const s = useTranslations('shell');
  return (
    <DataTable
      caption={t('version')}
      minWidth={340}
      rows={versions}
      getKey={({ revision }) => String(revision)}
      columns={[
        ...SIDES.map((side) => ({
          label: t(side),
          cell: ({ revision }: Version<unknown>) => (
            <Radio
              name={side}
              checked={chosen[side] === revision}
              onChange={() => choose(side, revision)}
              aria-label={s('labelled', { label: t(side), value: t('revision', { revision }) })}
            />
          ),
        })),
        {
          label: t('version'),
          isTitle: true,
          cell: ({ revision, event, at, by, note }) => (
            <>
              <Text size="sm" fw={600}>
                {t('revision', { revision })} · {event}
              </Text>
              <Note>
                <RelativeTime at={at} exact /> · <MemberName id={by} />
              </Note>
              {note && (
                <Text size="sm" dir="auto" className="wrap">
                  {note}
                </Text>
              )}
            </>
          ),
        },
      ]}
    />
  );
}

type ComparisonProps<Content> = Pick<RevisionsProps<Content>, 'fields' | 'locale'> & {
  from: Version<Content>;
  to: Version<Content>;
  /** Beside the heading. */
  children: ReactNode;
};

function Comparison<Content>({ from, to, fields, locale, children }: ComparisonProps<Content>) {
  const t = useTranslations('editor');
  return (
    <Card
      aria-live="polite"
      title={t('comparing', { older: from.revision, newer: to.revision })}
      aside={children}
      wide
    >
      {fields.map(({ label, getText }) => (
        <Stack gap={4} key={label}>
          <Text fw={600} size="sm">
            {label}
          </Text>
          <TextDiff before={getText(from.content)} after={getText(to.content)} lang={locale} />
        </Stack>
      ))}
    </Card>
  );
}
