import { modals } from '@mantine/modals';
import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl';
import { Loading } from './loading.tsx';

/** Few steps need it, so that few visits fetch it. */
const PasswordForm = lazy(async () => ({ default: (await import('./password-form.tsx')).PasswordForm }));

/** Asks for the password once more; answers whether it was given. */
export function useFreshPassword(): () => Promise<boolean> {
  const t = useTranslations('shell');
  return () =>
    new Promise((resolve) => {
      const modalId = modals.open({
        title: t('confirmPassword'),
        children: (
          <Suspense fallback={<Loading />}>
            <PasswordForm
              given={() => {
                resolve(true);
                modals.close(modalId);
              }}
              refused={() => modals.close(modalId)}
            />
          </Suspense>
        ),
        onClose: () => resolve(false),
      });
    });
}
