import type { NewMail } from '../storage/mails.ts';
import type { Store } from '../storage/store.ts';
import type { ComposeMail } from './compose-mail.ts';

/** Mails that tell owners and admins that their workspace has lost a domain. Nobody can turn them off. */

type Deps = { store: Pick<Store, 'in' | 'workspaces'>; composeMail: ComposeMail; baseUrl: () => string };

const SETTINGS = { sign_in_domain_lost: 'sign-in', help_domain_lost: 'help-centre' } as const;

export async function composeDomainNotices(
  template: keyof typeof SETTINGS,
  workspaceId: string,
  values: Readonly<Record<string, string>>,
  { store, composeMail, baseUrl }: Deps,
): Promise<NewMail[]> {
  const workspace = await store.workspaces.find(workspaceId);
  if (!workspace) return [];
  const { name, settings } = workspace;
  const link = `${baseUrl()}/dashboard/w/${workspaceId}/settings/${SETTINGS[template]}`;
  const mails = (await store.in(workspaceId).members.listEditors()).map(({ email, locale }) =>
    composeMail({
      ...{ workspaceId, to: email, template },
      locales: [locale ?? settings.sourceLocale],
      values: { workspace: name, link, ...values },
    }),
  );
  return (await Promise.all(mails)).filter((mail) => mail !== undefined);
}
