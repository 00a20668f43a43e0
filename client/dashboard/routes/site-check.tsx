import { Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { checkSite } from '../../../generated/routes.ts';
import type { SiteFinding } from '../../../generated/types.ts';
import { isGuideError } from '../../sdk/errors.ts';
import { Icon } from '../components/icon.tsx';
import { useAction } from '../components/use-action.tsx';
import { useWorkspace } from '../session.ts';

const ICONS = { ok: 'circle-check', warning: 'alert-triangle', problem: 'ban' } as const;
const COLORS = { ok: 'green', warning: 'orange', problem: 'red' } as const;

/** Tries a page of the owner's site, and says what hinders the guide there. */
export function SiteCheck({ origin }: { origin: string }) {
  const t = useTranslations('siteCheck');
  const { tenant } = useWorkspace();
  const [url, setUrl] = useState(`${origin}/`);
  const check = useAction(() => tenant.call(checkSite, { body: { url: url.trim() } }), {
    onError: (error) => isGuideError(error, 'request/invalid'),
  });
  const findings = check.data?.findings ?? [];
  const obstacles = findings.filter(({ status }) => status !== 'ok');
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm" component="form" onSubmit={submit(check.mutate)}>
        <TextInput
          label={t('address')}
          type="url"
          dir="ltr"
          flex="1 1 220px"
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          error={check.error && isGuideError(check.error, 'request/invalid') && t('notAllowed')}
        />
        <Button type="submit" variant="default" loading={check.isPending}>
          {t('try')}
        </Button>
      </Group>
      <div role="status">
        {check.data && (
          <Stack gap="xs">
            <Text fw={600}>
              {obstacles.length === 0 ? t('nothingHinders') : t('hindered', { count: obstacles.length })}
            </Text>
            <List listStyleType="none" spacing={4}>
              {[...obstacles, ...findings.filter(({ status }) => status === 'ok')].map((finding) => (
                <Finding key={finding.code} {...finding} />
              ))}
            </List>
          </Stack>
        )}
      </div>
    </Stack>
  );
}

const submit = (send: () => void) => (event: { preventDefault: () => void }) => {
  event.preventDefault();
  send();
};

function Finding({ code, status, detail = '' }: SiteFinding) {
  const t = useTranslations('siteCheck');
  return (
    <List.Item icon={<Icon name={ICONS[status]} size={18} className={`status-${COLORS[status]}`} />}>
      <Text component="span" className="wrap">
        {t(`findings.${code}`, { detail })}
      </Text>
    </List.Item>
  );
}
