import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { useWorkspace } from '../session.ts';
import { IconLock } from './icons.tsx';

/** Shows its content to owners and admins, and a notice to members. */
export function RequireEditor({ children }: { readonly children: ReactNode }) {
  const t = useTranslations('shell');
  return useWorkspace().canEdit ? children : <LockedNotice>{t('editorsOnly')}</LockedNotice>;
}

export function ReadOnlyNotice() {
  const t = useTranslations('shell');
  return useWorkspace().canEdit ? null : <LockedNotice>{t('readOnly')}</LockedNotice>;
}

function LockedNotice({ children }: { readonly children: string }) {
  return (
    <Alert color="gray" icon={<IconLock size={18} aria-hidden />}>
      {children}
    </Alert>
  );
}
