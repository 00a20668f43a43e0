import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';

/** A page above the current one. */
export type Crumb = { label: string; to: string };

/** Links to the pages above the current one, which the heading names. */
export function Breadcrumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  const t = useTranslations('shell');
  return (
    <nav aria-label={t('breadcrumbs')}>
      <ol className="breadcrumbs">
        {crumbs.map(({ label, to }) => (
          <li key={to}>
            <Anchor component={Link} to={to} size="sm" dir="auto" className="wrap">
              {label}
            </Anchor>
          </li>
        ))}
      </ol>
    </nav>
  );
}
