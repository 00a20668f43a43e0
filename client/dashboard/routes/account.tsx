import { Anchor, Button, Group, List, PasswordInput, Stack, Table } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import type { SignedInDevice } from '../../sdk/types.ts';
import { RelativeTime } from '../components/attribution.tsx';
import { Card, ErrorMessage, Loading, Page } from '../components/page.tsx';
import { NewPasswordInput, useNewPasswordCheck, usePasswordErrorText } from '../components/password.tsx';
import { RegionTable } from '../components/region-table.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { useAction } from '../components/use-action.tsx';
import { account, useSession } from '../session.ts';

export default function AccountPage() {
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
                  <Anchor component={Link} to={`/w/${tenantId}`}>
                    <bdi>{name}</bdi>
                  </Anchor>
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

const DEVICES = ['devices'] as const;

/** Loads every page: the server keeps only the newest sessions of an account. */
export function Devices() {
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
  if (devices.isPending) return <Loading shape="table" />;
  if (devices.isError) return <ErrorMessage error={devices.error} retry={devices.refetch} />;
  return (
    <>
      <RegionTable
        caption={t('caption')}
        minWidth={560}
        columns={[t('device'), t('lastSeen'), t('since'), t('actions')]}
      >
        {devices.data.map((device) => (
          <DeviceRow key={device.id} device={device} />
        ))}
      </RegionTable>
      {others.length > 1 && (
        <Group>
          <Button variant="default" onClick={() => revokeOthers.mutate()} loading={revokeOthers.isPending}>
            {t('revokeOthers')}
          </Button>
        </Group>
      )}
    </>
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

function DeviceRow({
  device: { id, device: name, lastSeenAt, createdAt, current, automation },
}: {
  device: SignedInDevice;
}) {
  const t = useTranslations('account');
  const a = useTranslations('automation');
  const format = useFormatter();
  const device = automation ? a('actor', { name }) : name;
  const signOut = useAction(() => revoke(id), { changes: [DEVICES], done: t('revoked') });
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {device} {current && <StatusBadge color="green">{t('current')}</StatusBadge>}
      </Table.Th>
      <Table.Td className="nowrap">
        <RelativeTime at={lastSeenAt} />
      </Table.Td>
      <Table.Td className="nowrap">
        <RelativeTime at={createdAt} exact />
      </Table.Td>
      <Table.Td>
        {!current && (
          <Button
            variant="default"
            onClick={() => signOut.mutate()}
            loading={signOut.isPending}
            aria-label={t('revokeOne', {
              device,
              when: format.dateTime(new Date(lastSeenAt), { dateStyle: 'medium', timeStyle: 'short' }),
            })}
          >
            {t('revoke')}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

type Passwords = { current: string; next: string };

function ChangePassword({ email }: { email: string }) {
  const t = useTranslations('account');
  const passwordErrorText = usePasswordErrorText();
  const checkPassword = useNewPasswordCheck();
  const form = useForm<Passwords>({
    initialValues: { current: '', next: '' },
    validate: {
      current: (value) => (value ? null : t('needCurrent')),
      next: (value) => (value ? checkPassword(value) : t('needNew')),
    },
  });
  const showError = (field: keyof Passwords, text: string) => {
    form.setFieldError(field, text);
    form.getInputNode(field)?.focus();
    return true;
  };
  const change = useAction(({ current, next }: Passwords) => account.changePassword(current, next), {
    changes: [['devices'], ['session']],
    done: t('changed'),
    onDone: () => form.reset(),
    onError: (error) => {
      if (isGuideError(error, 'session/wrong_credentials')) return showError('current', t('wrong'));
      const issue = isGuideError(error, 'request/invalid') ? error.issues?.[0] : undefined;
      return issue?.path === 'body.newPassword' && showError('next', passwordErrorText(issue));
    },
  });
  return (
    <form onSubmit={form.onSubmit((passwords) => change.mutate(passwords))} noValidate>
      <Stack maw={420}>
        {/* Password managers save a password under the user name beside it. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label={t('currentPassword')}
          autoComplete="current-password"
          {...form.getInputProps('current')}
        />
        <NewPasswordInput label={t('newPassword')} {...form.getInputProps('next')} />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t('change')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
