import { Alert } from '@mantine/core';
import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl';

/** Requests wait while the browser is offline, and are sent afterwards. */
export function OfflineNotice() {
  const t = useTranslations('shell');
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  return (
    <div role="status">
      {!isOnline && (
        <Alert color="orange" title={t('offline')} mb="lg">
          {t('offlineLead')}
        </Alert>
      )}
    </div>
  );
}
