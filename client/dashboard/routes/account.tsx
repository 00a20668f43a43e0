import { Anchor, Button, Group, List, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import { changeDigest, readDigest } from '../../../generated/routes.ts';
import { isGuideError } from '../../sdk/errors.ts';
import type { SignedInDevice } from '../../sdk/types.ts';
import { RelativeTime } from '../components/attribution.tsx';
import { Form, useFields } from '../components/form.tsx';
import { Loaded } from '../components/loading.tsx';
import { Card, Page } from '../components/page.tsx';
import { currentPassword, UserName, useNewPassword } from '../components/password.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { DataTable } from '../components/table.tsx';
import { useAction } from '../components/use-action.tsx';
import { account, useSession } from '../session.ts';
import { ChangeEmailCard, ConfirmEmailCard } from './change-email.tsx';
import { SecondFactorsCard } from './second-factors.tsx';

export default function AccountPage() {
  const t = useTranslations();
  const { email, memberships } = useSession();
  return (
    <Page title={t('account.title')} lead={<bdi className="wrap">{t('account.lead', { email })}</bdi>}>
      <Stack>
        <ConfirmEmailCard />
        {memberships.length > 0 && (
          <Card title={t('account.workspaces')}>
            <List spacing={4}>
              {memberships.map(({ tenantId, name, role }) => (
                <List.Item key={tenantId}>
                  <Anchor component={Link} to={`/w/${tenantId}`}>
                    <bdi>{name}</bdi>
                  </Anchor>
                  {` · ${t(`shell.roles.${role}`)}`}
                  <WeeklyMail tenantId={tenantId} name={name} />
                </List.Item>
              ))}
            </List>
          </Card>
        )}
        <SecondFactorsCard />
        <Card title={t('account.devices')} lead={t('account.devicesLead')}>
          <Devices />
        </Card>
        <Card title={t('account.password')} lead={t('account.passwordLead')}>
          <ChangePassword email={email} />
        </Card>
        <ChangeEmailCard />
      </Stack>
    </Page>
  );
}

/** Turns the weekly mail about a workspace on and off, where the service sends mail. */
function WeeklyMail({ tenantId, name }: { tenantId: string; name: string }) {
  const t = useTranslations('account');
  const tenant = account.tenant(tenantId);
  const key = ['digest', tenantId];
  const digest = useQuery({ queryKey: key, queryFn: ({ signal }) => tenant.call(readDigest, { signal }) });
  const change = useAction((isOn: boolean) => tenant.call(changeDigest, { body: { isOn } }), {
    changes: [key],
    done: ({ isOn }) => t(isOn ? 'digestOn' : 'digestOff'),
  });
  if (!digest.data?.sendsMail) return null;
  return (
    <Switch
      mt={4}
      size="sm"
      label={t('digest', { name })}
      checked={digest.data.isOn}
      disabled={change.isPending}
      onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
    />
  );
}

const DEVICES = ['devices'] as const;

/** Loads every page: the server keeps only the newest sessions of an account. */
function Devices() {
  const t = useTranslations('account');
  const devices = useQuery({
    queryKey: DEVICES,
    queryFn: async ({ signal }) => {
      const sessions: SignedInDevice[] = [];
      for await (const device of account.sessions.list({ signal })) sessions.push(device);
      return sessions;
    },
  });
  const others = (devices.data ?? []).filter(({ current }) => !current);
  const revokeOthers = useAction(
    async () => {
      for (const { id } of others) await revoke(id);
    },
    { changes: [DEVICES], done: t('othersRevoked') },
  );
  return (
    <Loaded query={devices} shape="table">
      {(rows) => (
        <>
          <DataTable
            caption={t('caption')}
            isRegion
            minWidth={560}
            rows={rows}
            columns={[
              { label: t('device'), cell: (device) => <DeviceName device={device} /> },
              {
                label: t('lastSeen'),
                className: 'nowrap',
                cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
              },
              {
                label: t('since'),
                className: 'nowrap',
                cell: ({ createdAt }) => <RelativeTime at={createdAt} exact />,
              },
              { label: t('how'), cell: (device) => <Proof {...device} /> },
              { label: t('actions'), cell: (device) => !device.current && <SignOutButton device={device} /> },
            ]}
          />
          {others.length > 1 && (
            <Group>
              <Button
                variant="default"
                onClick={() => revokeOthers.mutate()}
                loading={revokeOthers.isPending}
              >
                {t('revokeOthers')}
              </Button>
            </Group>
          )}
        </>
      )}
    </Loaded>
  );
}

/** Revokes a session. One that has already ended counts as revoked. */
async function revoke(sessionId: string): Promise<void> {
  try {
    await account.sessions.revoke(sessionId);
  } catch (error) {
    if (!isGuideError(error, 'session/not_found')) throw error;
  }
}

type DeviceProps = { device: SignedInDevice };

function useDeviceName({ device: name, automation }: SignedInDevice) {
  const t = useTranslations('automation');
  return automation ? t('actor', { name }) : name;
}

function DeviceName({ device }: DeviceProps) {
  const t = useTranslations('account');
  return (
    <>
      {useDeviceName(device)} {device.current && <StatusBadge color="green">{t('current')}</StatusBadge>}
    </>
  );
}

/** How one signed in: a passkey alone proves two factors. */
function Proof({ signedInWith, factor }: SignedInDevice) {
  const t = useTranslations('account');
  if (!signedInWith) return null;
  const method = t(`methods.${signedInWith}`);
  return <>{factor && signedInWith !== 'passkey' ? `${method} + ${t(`factors.${factor}`)}` : method}</>;
}

function SignOutButton({ device }: DeviceProps) {
  const t = useTranslations('account');
  const format = useFormatter();
  const name = useDeviceName(device);
  const signOut = useAction(() => revoke(device.id), { changes: [DEVICES], done: t('revoked') });
  const when = format.dateTime(new Date(device.lastSeenAt), { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <Button
      variant="default"
      onClick={() => signOut.mutate()}
      loading={signOut.isPending}
      aria-label={t('revokeOne', { device: name, when })}
    >
      {t('revoke')}
    </Button>
  );
}

type Passwords = { currentPassword: string; newPassword: string };

function ChangePassword({ email }: { email: string }) {
  const t = useTranslations('account');
  const state = useFields<Passwords>({
    section: 'account',
    initialValues: { currentPassword: '', newPassword: '' },
    fields: [
      currentPassword('currentPassword', t('needCurrent')),
      useNewPassword('newPassword', t('needNew')),
    ],
    explain: (error) => isGuideError(error, 'session/wrong_credentials') && { currentPassword: t('wrong') },
  });
  const change = useAction(
    (passwords: Passwords) => account.changePassword(passwords.currentPassword, passwords.newPassword),
    {
      changes: [['devices'], ['session']],
      done: t('changed'),
      onDone: () => state.form.reset(),
      onError: state.showError,
    },
  );
  return (
    <Form
      state={state}
      send={change.mutate}
      isPending={change.isPending}
      submitLabel={t('change')}
      maw={420}
      lead={<UserName email={email} />}
    />
  );
}
