import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';

/** A page above the current one. */
export type Crumb = { readonly label: string; readonly to: string };

/** The way to a page; its heading names the page itself. */
export function Breadcrumbs({ crumbs }: { readonly crumbs: readonly Crumb[] }) {
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
