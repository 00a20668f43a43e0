import { changeSource, createSource, startSourceRun } from '../../../../generated/routes.ts';
import type { NewSource, Source } from '../../../../generated/types.ts';
import type { Tenant } from '../../../sdk/tenant.ts';

/** Enough for a first look; the source's settings allow more. */
const PAGES_MAX = 50;

/** Reads a website into drafts: as a new source, whose first run is due at once and then every week, or as the known one. */
export async function readWebsite(tenant: Tenant, origin: string, known?: Source): Promise<void> {
  const body: NewSource = {
    type: 'website',
    name: new URL(origin).host,
    website: { startUrls: [`${origin}/`], pagesMax: PAGES_MAX },
    mode: 'review',
    schedule: 'weekly',
  };
  if (known) await tenant.call(startSourceRun, { params: { sourceId: known.id }, body: { preview: false } });
  else await tenant.call(createSource, { body });
}

/** Allows the origin to which a website redirects, and lets its source begin there. */
export async function followWebsite(
  tenant: Tenant,
  { id: sourceId, name, website, mode, schedule }: Source,
  origin: string,
  allowed: readonly string[],
): Promise<void> {
  await tenant.settings.change({ allowedOrigins: [...new Set([...allowed, origin])] });
  const body = { name, website: { ...website, startUrls: [`${origin}/`] }, mode, schedule };
  await tenant.call(changeSource, { params: { sourceId }, body });
}
