import { z } from 'zod';
import { namedObject, webAddress, workspaceId } from './fields.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';
import { editRoute, route, router } from './route.ts';

/** What a check of a page may find, with how grave it is. */
export const SITE_FINDINGS = {
  page_unreadable: 'problem',
  page_read: 'ok',
  tag_missing: 'problem',
  tag_inserted: 'warning',
  tag_manager: 'warning',
  tag_element: 'ok',
  tag_held_back: 'warning',
  tag_without_app: 'warning',
  tag_without_service: 'problem',
  tag_found: 'ok',
  tag_repeated: 'warning',
  policy_blocks: 'problem',
  policy_allows: 'ok',
  policy_absent: 'ok',
  script_unreachable: 'problem',
  script_blocked: 'problem',
  script_loads: 'ok',
  origin_unknown: 'problem',
  origin_refused: 'problem',
  origin_allowed: 'ok',
} as const;

const finding = namedObject('SiteFinding', 'What was found on the page.', {
  code: z.enum(Object.keys(SITE_FINDINGS) as [SiteFindingCode, ...SiteFindingCode[]]).meta({
    id: 'SiteFindingCode',
    description:
      'What was found. Begins with what was looked at: the page, the script tag, its policy, the script, the origin.',
  }),
  status: z.enum(['ok', 'warning', 'problem']).meta({
    id: 'SiteFindingStatus',
    description: 'A problem keeps the guide from working; a warning may.',
  }),
  detail: z
    .string()
    .max(WORKSPACE_LIMITS.siteFindingCharsMax)
    .optional()
    .describe('An address, a reason or the directives that are missing.')
    .meta({ example: 'script-src https://guide.example.com' }),
});

export type SiteFindingCode = keyof typeof SITE_FINDINGS;

export const siteChecks = router('Workspace', {
  checkSite: route({
    method: 'POST',
    path: '/api/tenants/:tenantId/site-checks',
    summary: 'Try a page of the website',
    description:
      'Reads a page on an allowed origin as the server sends it, and says what will hinder the guide there. Runs no ' +
      'script, and stores nothing.',
    pathParams: z.strictObject({ tenantId: workspaceId }),
    body: namedObject('SiteCheckRequest', 'The page to try.', {
      url: webAddress(WORKSPACE_LIMITS.siteAddressCharsMax).meta({
        description: 'Its address, on an origin that the workspace allows.',
        example: 'https://shop.example.com/',
      }),
    }),
    responses: {
      200: namedObject('SiteCheck', 'What was found, in the order in which it was looked at.', {
        findings: z.array(finding).max(20),
      }),
    },
    meta: { ...editRoute, worksReadOnly: true },
  }),
});
