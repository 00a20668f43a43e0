import { Badge } from '@mantine/core';
import { IconCircleCheck, IconHelpCircle, IconThumbDown, IconThumbUp } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';

/** How an answer was rated, in a word and a picture. */
export function RatingMark({ rating }: { readonly rating: 'up' | 'down' }) {
  const t = useTranslations('conversations.ratings');
  const Icon = rating === 'up' ? IconThumbUp : IconThumbDown;
  const color = rating === 'up' ? 'green' : 'orange';
  return (
    <Badge
      variant="light"
      color={color}
      className={`standing-${color}`}
      tt="none"
      leftSection={<Icon size={12} aria-hidden />}
    >
      {t(rating)}
    </Badge>
  );
}

export function AnsweredMark({ answered }: { readonly answered: boolean }) {
  const t = useTranslations('conversations');
  const Icon = answered ? IconCircleCheck : IconHelpCircle;
  const color = answered ? 'green' : 'orange';
  return (
    <Badge
      variant="light"
      color={color}
      className={`standing-${color}`}
      tt="none"
      leftSection={<Icon size={12} aria-hidden />}
    >
      {answered ? t('answered') : t('unanswered')}
    </Badge>
  );
}
