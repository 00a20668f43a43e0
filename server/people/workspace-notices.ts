import type { LossNotices, NewMail } from '../storage/mails.ts';
import type { Store } from '../storage/store.ts';
import type { ComposeMail } from './compose-mail.ts';

/** Mails that tell owners and admins what no longer works in their workspace. Nobody can turn them off. */

export type WorkspaceNoticeDeps = {
  store: Pick<Store, 'in' | 'workspaces'>;
  composeMail: ComposeMail;
  baseUrl: () => string;
};

/** The page of the settings that each leads to. */
const PAGES = {
  sign_in_domain_lost: 'sign-in',
  help_domain_lost: 'help-centre',
  webhook_paused: 'webhooks',
} as const;

/** Composes the mails for the workspace that is to lose a domain. */
export async function composeLossNotices(
  template: 'sign_in_domain_lost' | 'help_domain_lost',
  { workspaceId }: { workspaceId: string },
  values: Readonly<Record<string, string>>,
  deps: WorkspaceNoticeDeps,
): Promise<LossNotices> {
  return { workspaceId, mails: await composeWorkspaceNotices(template, workspaceId, values, deps) };
}

export async function composeWorkspaceNotices(
  template: keyof typeof PAGES,
  workspaceId: string,
  values: Readonly<Record<string, string>>,
  { store, composeMail, baseUrl }: WorkspaceNoticeDeps,
): Promise<NewMail[]> {
  const workspace = await store.workspaces.find(workspaceId);
  if (!workspace) return [];
  const { name, settings } = workspace;
  const link = `${baseUrl()}/dashboard/w/${workspaceId}/settings/${PAGES[template]}`;
  const mails = (await store.in(workspaceId).members.listEditors()).map(({ email, locale }) =>
    composeMail({
      ...{ workspaceId, to: email, template },
      locales: [locale ?? settings.sourceLocale],
      values: { workspace: name, link, ...values },
    }),
  );
  return (await Promise.all(mails)).filter((mail) => mail !== undefined);
}
