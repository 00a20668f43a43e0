import { Alert, Button, Code, FileButton, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { SourceRefusal } from '../../../../generated/types.ts';
import { Icon } from '../../components/icon.tsx';
import { Card, Muted } from '../../components/page.tsx';
import { useAction, useLeaveGuard } from '../../components/use-action.tsx';
import { ACCEPTED, Refused, useImport } from '../sources/import-files.tsx';
import { type ArchiveContent, InvalidArchive, isArchive, readArchive } from './read-archive.ts';

type Chosen = { name: string; archive?: ArchiveContent; files: readonly File[] };

/** Shows what a file or an archive contains, and previews which articles an import would change. */
export function ImportArticles() {
  const t = useTranslations('transfer');
  const s = useTranslations('sources');
  const [chosen, setChosen] = useState<Chosen>();
  const [badLine, setBadLine] = useState<number>();
  const [refusals, setRefusals] = useState<readonly SourceRefusal[]>([]);
  const upload = useImport(() => undefined, setRefusals);
  const read = useAction(readChosen, {
    onDone: setChosen,
    onError: (error) => {
      if (error instanceof InvalidArchive) setBadLine(error.line);
      return error instanceof InvalidArchive;
    },
  });
  useLeaveGuard(upload.isPending, { message: s('uploading', { done: 0, total: 1 }) });
  const choose = (file: File | null) => {
    setChosen(undefined);
    setBadLine(undefined);
    setRefusals([]);
    if (file) read.mutate(file);
  };
  return (
    <Card title={t('import')} lead={t('importLead')}>
      <Group>
        <FileButton accept={ACCEPTED} onChange={choose}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              leftSection={<Icon name="cloud-upload" />}
              loading={read.isPending}
            >
              {t('chooseFile')}
            </Button>
          )}
        </FileButton>
      </Group>
      <div role="status">
        {chosen && <Content {...chosen} />}
        {badLine !== undefined && (
          <Alert color="orange" title={t('badArchive')}>
            {t('badLine', { line: badLine })}
          </Alert>
        )}
      </div>
      {refusals.length > 0 && <Refused refusals={refusals} />}
      {chosen && chosen.files.length > 0 && (
        <Group>
          <Button
            loading={upload.isPending}
            onClick={() =>
              upload.mutate({
                files: chosen.files.map((file) => ({ path: file.name, file })),
                ...{ sourceId: null, name: chosen.archive ? chosen.name : '', baseUrl: '' },
              })
            }
          >
            {t('preview')}
          </Button>
        </Group>
      )}
    </Card>
  );
}

async function readChosen(file: File): Promise<Chosen> {
  const { name } = file;
  if (!(await isArchive(file))) return { name, files: [file] };
  const archive = await readArchive(file);
  return { name, archive, files: archive.files };
}

function Content({ name, archive }: Chosen) {
  const t = useTranslations('transfer');
  if (!archive) return <Text className="wrap">{t('chosenFile', { name })}</Text>;
  const { articles, translations, conversations } = archive;
  return (
    <Stack gap="xs">
      <Text>{t('inArchive', { articles, translations, conversations })}</Text>
      <Muted>{t('archiveLead')}</Muted>
      <Code block dir="ltr" translate="no" className="wrapped">
        {`guidepost workspace import ${name}`}
      </Code>
    </Stack>
  );
}
