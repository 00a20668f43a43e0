import { Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { useMemberList } from '../../components/person.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { useWorkspace } from '../../session.ts';
import { Card } from '../settings/settings-card.tsx';
import { Invitations } from './invitations.tsx';
import { Invite } from './invite.tsx';
import { MemberTable } from './member-table.tsx';

export function MembersPage() {
  const t = useTranslations('people');
  const { mayChange } = useWorkspace();
  const members = useMemberList();
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Stack>
        {members.isPending && <Loading />}
        {members.isError && <Trouble error={members.error} retry={members.refetch} />}
        {members.data && <MemberTable members={members.data} />}
        {mayChange && (
          <>
            <Card title={t('invite')} lead={t('inviteLead')} wide>
              <Invite />
            </Card>
            <Card title={t('open')} wide>
              <Invitations />
            </Card>
          </>
        )}
      </Stack>
    </Page>
  );
}
