import { Badge, type BadgeProps, Blockquote, Group, Tooltip } from '@mantine/core';
import type { PropsWithChildren } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { ArticleSummary, Feedback, Translation } from '../../sdk/types.ts';
import { Icon, type IconName } from './icon.tsx';

/** Colors with an accessible text color in theme.css, for light and dark. */
type StatusColor = 'green' | 'orange' | 'teal' | 'blue' | 'grape' | 'gray';

type StatusBadgeProps = Pick<BadgeProps, 'children' | 'miw'> & {
  color: StatusColor;
  icon?: IconName;
};

export function StatusBadge({ color, icon, ...badge }: StatusBadgeProps) {
  return (
    <Badge
      variant="light"
      color={color}
      className={`status-${color}`}
      tt="none"
      leftSection={icon && <Icon name={icon} size={12} />}
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

export const TRANSLATION_STATES = {
  live: { icon: 'circle-check', color: 'green' },
  stale: { icon: 'clock-exclamation', color: 'orange' },
  approved: { icon: 'thumb-up', color: 'teal' },
  in_review: { icon: 'eye', color: 'blue' },
  changes_requested: { icon: 'message-report', color: 'grape' },
  draft: { icon: 'pencil', color: 'gray' },
  archived: { icon: 'archive', color: 'gray' },
  missing: { icon: 'circle-dashed', color: 'gray' },
} as const satisfies Record<TranslationState, { icon: IconName; color: StatusColor }>;

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
  const { icon, color } = TRANSLATION_STATES[state];
  const words = next ? t('liveWithPending', { status: t(`translation.${next}`) }) : text(state);
  return (
    <Tooltip label={words}>
      <span className={`status status-${color}`}>
        <Icon name={icon} size={20} aria-label={words} />
        {next && <Icon name="pencil" size={12} />}
      </span>
    </Tooltip>
  );
}

export function TranslationBadge({ state }: { state: TranslationState }) {
  const text = useTranslationStateText();
  return <StatusBadge {...TRANSLATION_STATES[state]}>{text(state)}</StatusBadge>;
}

const COLOURS = { draft: 'gray', published: 'green', unpublished: 'gray' } as const;

type ArticleStatusProps = { article: Pick<ArticleSummary, 'status' | 'changed' | 'scheduled'> };

export function ArticleStatus({ article: { status, changed, scheduled } }: ArticleStatusProps) {
  const t = useTranslations('statuses');
  // Room for two badges is rare.
  if (scheduled && status !== 'published') return <ScheduleBadge at={scheduled.at} />;
  return (
    <Group gap={4}>
      <StatusBadge color={COLOURS[status]}>{t(`article.${status}`)}</StatusBadge>
      {scheduled ? (
        <ScheduleIcon at={scheduled.at} />
      ) : (
        changed && <StatusBadge color="orange">{t('changed')}</StatusBadge>
      )}
    </Group>
  );
}

/** Says when a text goes live. */
function useScheduleText() {
  const t = useTranslations('schedule');
  const format = useFormatter();
  return (at: string) =>
    t('badge', { at: format.dateTime(new Date(at), { month: 'short', day: 'numeric' }) });
}

export function ScheduleBadge({ at }: { at: string }) {
  const text = useScheduleText();
  return (
    <StatusBadge color="blue" icon="clock">
      {text(at)}
    </StatusBadge>
  );
}

function ScheduleIcon({ at }: { at: string }) {
  const words = useScheduleText()(at);
  return (
    <Tooltip label={words}>
      <span className="status status-blue">
        <Icon name="clock" size={20} aria-label={words} />
      </span>
    </Tooltip>
  );
}

const RATINGS = {
  up: { icon: 'thumb-up', color: 'green' },
  down: { icon: 'thumb-down', color: 'orange' },
} as const;

type VisitorRatingProps = PropsWithChildren<Partial<Feedback>>;

export function RatingBadge({ rating }: Pick<Feedback, 'rating'>) {
  const t = useTranslations('conversations.ratings');
  return <StatusBadge {...RATINGS[rating]}>{t(rating)}</StatusBadge>;
}

/** What a visitor said with a rating, and the rating if it is given. `children` stand beside the badges. */
export function VisitorRating({ rating, comment, reasons = [], children }: VisitorRatingProps) {
  const t = useTranslations('conversations');
  if (!rating && !comment && reasons.length === 0) return null;
  return (
    <>
      <Group gap="xs">
        {rating && <RatingBadge rating={rating} />}
        {reasons.map((reason) => (
          <StatusBadge key={reason} color="gray">
            {t(`reasons.${reason}`)}
          </StatusBadge>
        ))}
        {children}
      </Group>
      {comment && (
        <Blockquote p="sm" m={0} color={rating === 'up' ? 'green' : 'orange'} className="wrap">
          <span className="unseen">{t('comment')}: </span>
          <span dir="auto">{comment}</span>
        </Blockquote>
      )}
    </>
  );
}

export function AnsweredBadge({ answered }: { answered: boolean }) {
  const t = useTranslations('conversations');
  const [color, icon] = answered
    ? (['green', 'circle-check'] as const)
    : (['orange', 'help-circle'] as const);
  return (
    <StatusBadge color={color} icon={icon}>
      {t(answered ? 'answered' : 'unanswered')}
    </StatusBadge>
  );
}
