import type { SiteFindingCode } from '../../contract/site-checks.ts';
import { checkPage, type SiteFinding } from '../sources/website/check-page.ts';
import type { Workspaces } from '../storage/store.ts';
import { isAllowedOrigin } from '../visitors/allowed-origin.ts';
import { type Finding, warning } from './finding.ts';

/** Says in English what will hinder the guide on an owner's page. */
export async function* examinePage(
  url: string,
  networks: readonly string[],
  workspaces: Pick<Workspaces, 'findByAppId'> | undefined,
): AsyncGenerator<Finding> {
  let [advice, isCompared] = ['', true];
  const checkOrigin = async (app: string, origin: string) => {
    isCompared = workspaces !== undefined;
    if (!workspaces) return undefined;
    const workspace = await workspaces.findByAppId(app);
    if (!workspace) return 'unknown' as const;
    advice = `run \`guidepost workspace set ${workspace.id} --domain ${origin}\`, with --domain for the present ones too`;
    return isAllowedOrigin(origin, workspace.settings.allowedOrigins) ? 'allowed' : 'refused';
  };
  for await (const finding of checkPage(url, { networks }, checkOrigin))
    yield toFinding(finding, url, advice);
  if (!isCompared)
    yield warning`origin: The domains were not compared: run this command where DATA_DIR or DATABASE_URL leads to the database.`;
}

const toFinding = ({ code, status, detail = '' }: SiteFinding, url: string, advice: string): Finding => ({
  check: code.split('_', 1)[0]!,
  status,
  message: MESSAGES[code](detail, url, advice),
});

const MESSAGES: Record<SiteFindingCode, (detail: string, url: string, advice: string) => string> = {
  page_unreadable: (reason, url) => `${url} cannot be read: ${reason}.`,
  page_read: (address) => `${address} can be read.`,
  tag_missing: () => 'The page has no script tag of the guide: insert the one that the dashboard shows.',
  tag_inserted: () =>
    'A script of the page inserts guide.js: open the page in a browser, and read its console if no button appears.',
  tag_manager: () =>
    "The script tag is not in the HTML; the page has a tag manager, which may insert it after the visitor's consent, and late. Open the page in a browser, and give the settings in the script's address (guide.js?app=…).",
  tag_element: () => 'The page has a <guidepost-guide> element.',
  tag_held_back: () =>
    'An optimizer or a consent banner holds the script back (it has no src): exclude guide.js from it if the button appears late or never.',
  tag_without_app: () =>
    'The script tag names no app id: the page must set GuidepostSettings or insert <guidepost-guide>.',
  tag_without_service: () =>
    'The script tag has no data-gp-api, so the guide does not start: add the address of the service.',
  tag_found: () => 'The script tag is in the HTML.',
  tag_repeated: (times) => `The script tag is on the page ${times} times: leave one.`,
  policy_blocks: (directives) => `The page's Content-Security-Policy blocks the guide: add ${directives}.`,
  policy_allows: () => 'The Content-Security-Policy allows the guide.',
  policy_absent: () => 'The page has no Content-Security-Policy.',
  script_unreachable: (address) => `${address} is no script: correct the address, or start the service.`,
  script_blocked: (address) =>
    `The page requires Cross-Origin-Resource-Policy (its Cross-Origin-Embedder-Policy is require-corp), and ${address} comes without it: update the service, let its proxy keep the header, or add crossorigin to the tag.`,
  script_loads: (address) => `${address} can be loaded.`,
  origin_unknown: () => 'No workspace has the app id of the page: run `guidepost workspace list`.',
  origin_refused: (origin, _url, advice) => `${origin} is not among the domains of the workspace: ${advice}.`,
  origin_allowed: (origin) => `The workspace accepts ${origin}.`,
};
