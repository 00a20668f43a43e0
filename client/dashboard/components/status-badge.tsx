import { Badge, type BadgeProps, Blockquote, Group, Tooltip } from '@mantine/core';
import {
  type Icon,
  IconArchive,
  IconCircleCheck,
  IconCircleDashed,
  IconClockExclamation,
  IconEye,
  IconHelpCircle,
  IconMessageReport,
  IconPencil,
  IconThumbDown,
  IconThumbUp,
} from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { ArticleSummary, Feedback, FeedbackReason, Translation } from '../../sdk/types.ts';

/** Colors with an accessible text color in theme.css, for light and dark. */
type StatusColor = 'green' | 'orange' | 'teal' | 'blue' | 'grape' | 'gray';

type StatusBadgeProps = Pick<BadgeProps, 'children' | 'miw'> & {
  color: StatusColor;
  icon?: Icon;
};

export function StatusBadge({ color, icon: Icon, ...badge }: StatusBadgeProps) {
  return (
    <Badge
      variant="light"
      color={color}
      className={`status-${color}`}
      tt="none"
      leftSection={Icon && <Icon size={12} aria-hidden />}
      {...badge}
    />
  );
}

type Variant = ArticleSummary['translations'][number];
type TranslationState = 'live' | 'stale' | 'missing' | Exclude<Translation['status'], 'published'>;

/** Returns the state to show. The live version takes precedence over a pending one. */
export function getTranslationState(variant: Variant | undefined): TranslationState {
  if (!variant) return 'missing';
  if (variant.live) return variant.liveStale ? 'stale' : 'live';
  return variant.status === 'published' ? 'live' : variant.status;
}

/** Returns the status of a newer version that waits behind the live one. */
export function getPendingStatus(variant: Variant | undefined): Variant['status'] | undefined {
  if (!variant?.live || variant.status === 'published' || variant.status === 'archived') return undefined;
  return variant.status;
}

export const TRANSLATION_STATES: Readonly<Record<TranslationState, { icon: Icon; color: StatusColor }>> = {
  live: { icon: IconCircleCheck, color: 'green' },
  stale: { icon: IconClockExclamation, color: 'orange' },
  approved: { icon: IconThumbUp, color: 'teal' },
  in_review: { icon: IconEye, color: 'blue' },
  changes_requested: { icon: IconMessageReport, color: 'grape' },
  draft: { icon: IconPencil, color: 'gray' },
  archived: { icon: IconArchive, color: 'gray' },
  missing: { icon: IconCircleDashed, color: 'gray' },
};

export function useTranslationStateText(): (state: TranslationState) => string {
  const t = useTranslations('statuses');
  return (state) =>
    state === 'live' || state === 'stale' || state === 'missing' ? t(state) : t(`translation.${state}`);
}

/** The icon alone, for a dense table; its text is its label. */
export function TranslationIcon({ variant }: { variant: Variant | undefined }) {
  const t = useTranslations('statuses');
  const text = useTranslationStateText();
  const state = getTranslationState(variant);
  const next = getPendingStatus(variant);
  const { icon: Icon, color } = TRANSLATION_STATES[state];
  const words = next ? t('liveWithPending', { status: t(`translation.${next}`) }) : text(state);
  return (
    <Tooltip label={words}>
      <span className={`status status-${color}`}>
        <Icon size={20} role="img" aria-label={words} />
        {next && <IconPencil size={12} aria-hidden />}
      </span>
    </Tooltip>
  );
}

export function TranslationBadge({ state }: { state: TranslationState }) {
  const text = useTranslationStateText();
  return <StatusBadge {...TRANSLATION_STATES[state]}>{text(state)}</StatusBadge>;
}

const COLOURS = { draft: 'gray', published: 'green', unpublished: 'gray' } as const;

export function ArticleStatus({ article }: { article: Pick<ArticleSummary, 'status' | 'changed'> }) {
  const t = useTranslations('statuses');
  const { status, changed } = article;
  return (
    <Group gap={4}>
      <StatusBadge color={COLOURS[status]}>{t(`article.${status}`)}</StatusBadge>
      {changed && <StatusBadge color="orange">{t('changed')}</StatusBadge>}
    </Group>
  );
}

export function RatingBadge({ rating }: { rating: 'up' | 'down' }) {
  const t = useTranslations('conversations.ratings');
  return rating === 'up' ? (
    <StatusBadge color="green" icon={IconThumbUp}>
      {t('up')}
    </StatusBadge>
  ) : (
    <StatusBadge color="orange" icon={IconThumbDown}>
      {t('down')}
    </StatusBadge>
  );
}

/** Reasons for a bad rating. */
export function ReasonBadges({ reasons = [] }: { reasons?: readonly FeedbackReason[] | undefined }) {
  const t = useTranslations('conversations.reasons');
  return reasons.map((reason) => (
    <StatusBadge key={reason} color="gray">
      {t(reason)}
    </StatusBadge>
  ));
}

export function AnsweredBadge({ answered }: { answered: boolean }) {
  const t = useTranslations('conversations');
  return answered ? (
    <StatusBadge color="green" icon={IconCircleCheck}>
      {t('answered')}
    </StatusBadge>
  ) : (
    <StatusBadge color="orange" icon={IconHelpCircle}>
      {t('unanswered')}
    </StatusBadge>
  );
}

/** What a visitor wrote with a rating. */
export function VisitorComment({ rating, comment }: Pick<Feedback, 'rating' | 'comment'>) {
  if (!comment) return null;
  return (
    <Blockquote p="sm" m={0} color={rating === 'up' ? 'green' : 'orange'} dir="auto" className="wrap">
      {comment}
    </Blockquote>
  );
}
