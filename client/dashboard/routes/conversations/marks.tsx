import { IconCircleCheck, IconHelpCircle, IconThumbDown, IconThumbUp } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { Mark } from '../../components/mark.tsx';

/** How an answer was rated, in a word and a picture. */
export function RatingMark({ rating }: { readonly rating: 'up' | 'down' }) {
  const t = useTranslations('conversations.ratings');
  return rating === 'up' ? (
    <Mark color="green" icon={IconThumbUp}>
      {t('up')}
    </Mark>
  ) : (
    <Mark color="orange" icon={IconThumbDown}>
      {t('down')}
    </Mark>
  );
}

export function AnsweredMark({ answered }: { readonly answered: boolean }) {
  const t = useTranslations('conversations');
  return answered ? (
    <Mark color="green" icon={IconCircleCheck}>
      {t('answered')}
    </Mark>
  ) : (
    <Mark color="orange" icon={IconHelpCircle}>
      {t('unanswered')}
    </Mark>
  );
}
