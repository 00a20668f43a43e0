import { button, element } from '../embed/element.ts';
import { fill } from '../embed/texts.ts';
import type { SessionState } from '../records.ts';
import { apiSentence, command, type Page, paragraph } from './page.ts';

/** The workspace is there: what to put on the site, and what comes next. */
export function showReady(state: SessionState, origin: string, page: Page): void {
  const { texts } = page;
  // The new owner may have got older workspaces too, such as the demo. Ids of workspaces sort by when they were made.
  const made = state.memberships.reduce((one, other) => (other.tenantId > one.tenantId ? other : one));
  page.show(
    fill(texts.readyTitle, { name: made.name }),
    [
      paragraph(fill(texts.readyLead, { email: state.email })),
      element('h2', {}, texts.appId),
      element('p', {}, element('code', { translate: 'no' }, made.appId)),
      element('h2', { id: 'snippet-title' }, fill(texts.snippet, { origin })),
      ...snippet(made.appId, page),
      element('h2', {}, texts.next),
      paragraph(texts.nextImport),
      command(`npm run -s guidepost -- knowledge import --workspace ${made.tenantId} PATH`),
      apiSentence(texts.nextApi, page),
      paragraph(texts.dashboardToCome),
    ],
    'heading',
  );
}

function snippet(appId: string, { serviceUrl, texts, announce }: Page): HTMLElement[] {
  const tag = `<script src="${serviceUrl}/guide.js" data-gp-app="${appId}" data-gp-api="${serviceUrl}" async></script>`;
  const text = element('textarea', {
    readonly: true,
    rows: 4,
    dir: 'ltr',
    translate: 'no',
    spellcheck: 'false',
    'aria-labelledby': 'snippet-title',
  });
  text.value = tag;
  const outcome = element('span', { class: 'hint' });
  const copy = button(texts.copy, {}, async () => {
    const copied = await writeToClipboard(tag);
    if (!copied) text.select();
    outcome.textContent = copied ? texts.copied : texts.notCopied;
    announce(outcome.textContent);
  });
  copy.setAttribute('aria-describedby', 'snippet-title');
  return [text, element('div', { class: 'row' }, copy, outcome)];
}

/** Over plain http a browser has no clipboard for pages. */
async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
