import { List, Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { Page } from '../../components/page.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useSession } from '../../session.ts';
import { Card } from '../settings/settings-card.tsx';
import { ChangePassword } from './change-password.tsx';
import { Devices } from './devices.tsx';

/** What belongs to the person and to no workspace. */
export function AccountPage() {
  const t = useTranslations();
  const { email, memberships } = useSession();
  return (
    <Page title={t('account.title')} lead={<bdi className="wrap">{t('account.lead', { email })}</bdi>}>
      <Stack>
        {memberships.length > 0 && (
          <Card title={t('account.workspaces')}>
            <List spacing={4}>
              {memberships.map(({ tenantId, name, role }) => (
                <List.Item key={tenantId}>
                  <TextLink to="/w/$tenantId" params={{ tenantId }}>
                    <bdi>{name}</bdi>
                  </TextLink>
                  {` · ${t(`shell.roles.${role}`)}`}
                </List.Item>
              ))}
            </List>
          </Card>
        )}
        <Card title={t('account.devices')} lead={t('account.devicesLead')}>
          <Devices />
        </Card>
        <Card title={t('account.password')} lead={t('account.passwordLead')}>
          <ChangePassword email={email} />
        </Card>
      </Stack>
    </Page>
  );
}
