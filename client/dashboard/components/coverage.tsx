import { Tooltip } from '@mantine/core';
import {
  IconArchive,
  IconCircleCheck,
  IconCircleDashed,
  IconClockExclamation,
  IconEye,
  IconMessageReport,
  IconPencil,
  IconThumbUp,
  type TablerIcon,
} from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { ArticleSummary, Translation } from '../../sdk/types.ts';
import { Mark, type MarkColor } from './mark.tsx';

/** How a translation stands, in one word and one picture. */

export type Variant = ArticleSummary['translations'][number];
type Standing = 'live' | 'stale' | 'missing' | Exclude<Translation['status'], 'published'>;

/** What a visitor gets comes first; what is only on its way shows where nothing is live. */
export function standingOf(variant: Variant | undefined): Standing {
  if (!variant) return 'missing';
  if (variant.live) return variant.liveStale ? 'stale' : 'live';
  return variant.status === 'published' ? 'live' : variant.status;
}

/** What is on its way behind something that is live. */
export function nextOf(variant: Variant | undefined): Variant['status'] | undefined {
  if (!variant?.live || variant.status === 'published' || variant.status === 'archived') return undefined;
  return variant.status;
}

export const STANDINGS: Readonly<Record<Standing, { icon: TablerIcon; color: MarkColor }>> = {
  live: { icon: IconCircleCheck, color: 'green' },
  stale: { icon: IconClockExclamation, color: 'orange' },
  approved: { icon: IconThumbUp, color: 'teal' },
  in_review: { icon: IconEye, color: 'blue' },
  changes_requested: { icon: IconMessageReport, color: 'grape' },
  draft: { icon: IconPencil, color: 'gray' },
  archived: { icon: IconArchive, color: 'gray' },
  missing: { icon: IconCircleDashed, color: 'gray' },
};

export function useStandingText(): (standing: Standing) => string {
  const t = useTranslations('statuses');
  return (standing) =>
    standing === 'live' || standing === 'stale' || standing === 'missing'
      ? t(standing)
      : t(`translation.${standing}`);
}

/** The picture alone, for a table with many; its words are its label. */
export function StandingIcon({ variant }: { readonly variant: Variant | undefined }) {
  const t = useTranslations('statuses');
  const text = useStandingText();
  const standing = standingOf(variant);
  const next = nextOf(variant);
  const { icon: Icon, color } = STANDINGS[standing];
  const words = next ? t('liveAnd', { status: t(`translation.${next}`) }) : text(standing);
  return (
    <Tooltip label={words}>
      <span className={`standing standing-${color}`}>
        <Icon size={20} role="img" aria-label={words} />
        {next && <IconPencil size={12} aria-hidden />}
      </span>
    </Tooltip>
  );
}

export function StandingBadge({ standing }: { readonly standing: Standing }) {
  const text = useStandingText();
  return <Mark {...STANDINGS[standing]}>{text(standing)}</Mark>;
}
