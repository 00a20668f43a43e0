import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { CUSTOMER_LIMITS } from '../../../contract/limits/customers.ts';
import type { UserTokenCheck } from '../../sdk/types.ts';
import { Card } from '../components/page.tsx';
import { useAction } from '../components/use-action.tsx';
import { LISTED } from '../languages.ts';
import { useWorkspace } from '../session.ts';

/** Says whether the guide would accept a token that the site has signed, and if not, why. */
export function TokenCheck() {
  const t = useTranslations('customers');
  const { tenant } = useWorkspace();
  const [token, setToken] = useState('');
  const check = useAction((token: string) => tenant.customers.checkToken({ token }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== '') check.mutate(token.trim());
  };
  return (
    <Card isRegion wide title={t('checkToken')} lead={t('checkTokenLead')}>
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            label={t('token')}
            dir="ltr"
            autosize
            maxRows={6}
            autoComplete="off"
            spellCheck={false}
            maxLength={CUSTOMER_LIMITS.userTokenCharsMax}
            value={token}
            onChange={({ currentTarget }) => {
              setToken(currentTarget.value);
              check.reset();
            }}
          />
          <Group>
            <Button type="submit" variant="default" loading={check.isPending}>
              {t('check')}
            </Button>
          </Group>
        </Stack>
      </form>
      <div role="status">{check.data && <Outcome {...check.data} />}</div>
    </Card>
  );
}

function Outcome({ problem, customer }: UserTokenCheck) {
  const t = useTranslations('customers');
  const format = useFormatter();
  if (!customer) {
    return (
      <Alert color="red" title={t('refused')}>
        {problem && t(`problems.${problem}`)}
      </Alert>
    );
  }
  const { sub, name, email, attributes, dropped, expiresAt } = customer;
  const who = [sub, name, email, ...attributes.map((entry) => entry.replace('=', ': '))];
  const kept = who.filter((part) => part !== undefined);
  return (
    <Alert color="green" title={t('accepted')}>
      <Text size="sm">{t('kept', { claims: format.list(kept, LISTED) })}</Text>
      {dropped.length > 0 && <Text size="sm">{t('dropped', { claims: format.list(dropped, LISTED) })}</Text>}
      <Text size="sm">
        {t('validUntil', {
          time: format.dateTime(new Date(expiresAt), { dateStyle: 'medium', timeStyle: 'short' }),
        })}
      </Text>
    </Alert>
  );
}
