import { Button, Checkbox, Group, Paper, Select, Stack, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { PreviewQuestion } from '../../../sdk/types.ts';
import { languageChoices } from '../../languages.ts';
import { regionNames } from '../../regions.ts';
import { useWorkspace } from '../../session.ts';

type QuestionFormProps = {
  readonly ask: (question: PreviewQuestion) => void;
  readonly asking: boolean;
  readonly stop: () => void;
};

export function QuestionForm({ ask, asking, stop }: QuestionFormProps) {
  const t = useTranslations('tryIt');
  const readersLocale = useLocale();
  const [message, setMessage] = useState('');
  const [locale, setLocale] = useState<string | null>(null);
  const [region, setRegion] = useState<string | null>(null);
  const [gpc, setGpc] = useState(false);
  const [tried, setTried] = useState(false);
  const missing = !/\S/.test(message);
  function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (missing || asking) return;
    ask({
      message: message.trim(),
      ...(locale && { locale }),
      ...(region && { region }),
      ...(gpc && { gpc }),
    });
  }
  return (
    <Paper withBorder p="lg" component="form" onSubmit={submit} noValidate>
      <Stack>
        <Textarea
          label={t('question')}
          autosize
          minRows={2}
          dir="auto"
          value={message}
          onChange={({ currentTarget }) => setMessage(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
          }}
          error={tried && missing && t('needQuestion')}
        />
        <Group align="flex-end">
          <Select
            label={t('language')}
            searchable
            clearable
            value={locale}
            onChange={setLocale}
            data={languageChoices(readersLocale)}
          />
          <Select
            label={t('region')}
            searchable
            clearable
            placeholder={t('unknownRegion')}
            value={region}
            onChange={setRegion}
            data={useRegions()}
          />
          <Checkbox
            label={t('gpc')}
            checked={gpc}
            onChange={({ currentTarget }) => setGpc(currentTarget.checked)}
            mb={8}
          />
        </Group>
        <Group>
          <Button type="submit" loading={asking}>
            {t('ask')}
          </Button>
          {asking && (
            <Button variant="default" onClick={stop}>
              {t('stop')}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

/** The regions that the service has a rule for. */
function useRegions() {
  const { tenant, tenantId } = useWorkspace();
  const name = regionNames(useLocale());
  const { compare } = new Intl.Collator(useLocale());
  const { data } = useQuery({
    queryKey: ['tenant', tenantId, 'directives', {}],
    queryFn: ({ signal }) => tenant.settings.directives({ signal }),
    staleTime: 300_000,
  });
  return (data?.data ?? [])
    .filter(({ region }) => region !== 'ZZ')
    .map(({ region }) => ({ value: region, label: name(region) }))
    .sort((one, other) => compare(one.label, other.label));
}
