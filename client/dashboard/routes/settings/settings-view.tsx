import { Alert } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { useWorkspace } from '../../session.ts';

/** A page of the settings, once they are there. */
export function SettingsView({
  title,
  children,
}: {
  readonly title: string;
  readonly children: (settings: TenantSettings) => ReactNode;
}) {
  const { tenant, tenantId } = useWorkspace();
  const settings = useQuery({
    queryKey: ['tenant', tenantId, 'settings'],
    queryFn: ({ signal }) => tenant.settings.read({ signal }),
  });
  return (
    <Page title={title}>
      <ReadOnlyNote />
      {settings.isPending && <Loading />}
      {settings.isError && !settings.data && <Trouble error={settings.error} retry={settings.refetch} />}
      {settings.data && children(settings.data)}
    </Page>
  );
}

function ReadOnlyNote() {
  const t = useTranslations('settings');
  const { mayChange } = useWorkspace();
  if (mayChange) return null;
  return (
    <Alert color="gray" icon={<IconLock size={18} aria-hidden />}>
      {t('readOnly')}
    </Alert>
  );
}

/** In place of a page that members have nothing to see on. */
export function ForChangersOnly({ children }: { readonly children: ReactNode }) {
  const t = useTranslations('settings');
  const { mayChange } = useWorkspace();
  if (mayChange) return children;
  return (
    <Alert color="gray" icon={<IconLock size={18} aria-hidden />}>
      {t('ownersOnly')}
    </Alert>
  );
}
