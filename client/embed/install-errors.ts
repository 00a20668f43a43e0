import type { Complaint } from './settings.ts';

/** What whoever put the guide on a page needs to know when it does not start. Loaded only then. */
export function sentenceOf({ code, appId, apiUrl, requestId, retryAfterSeconds }: Complaint): string {
  const { origin } = location;
  const request = requestId ? ` (request ${requestId})` : '';
  const cli = (command: string) => `npm run -s guidepost -- ${command}`;
  const ofWorkspace = `"${cli('workspace list')}" tells the ID of the workspace with app id "${appId}"`;
  const domains =
    `If the app id is right, add ${origin} to the allowed domains of its workspace: in the dashboard, ` +
    `${apiUrl}/dashboard, under Settings; or on the server with "${cli(`workspace set ID --domain ${origin}`)}", with a ` +
    `--domain for each other one too, since together they replace the earlier ones. ${ofWorkspace}.`;
  switch (code) {
    case 'api_missing':
      return (
        'The script tag has no data-gp-api, so no visitor token is minted and the guide does not start. ' +
        'Add data-gp-api="https://…" with the address of the Guidepost service ' +
        '(on a <guidepost-guide> element the attribute is called api).'
      );
    case 'api_wrong':
      return (
        `data-gp-api="${apiUrl}" is not an http or https address, so no visitor token is minted and the guide does not start. ` +
        'Write the full address of the Guidepost service, such as https://guide.example.com.'
      );
    case 'app_missing':
      return (
        'The script tag has no data-gp-app, so the guide does not start. ' +
        `Add data-gp-app="gp_…" with the app id of your workspace; "${cli('workspace list')}" shows it, and so does ` +
        'the dashboard under Settings (on a <guidepost-guide> element the attribute is called app).'
      );
    case 'app_wrong':
      return (
        `data-gp-app="${appId}" is not an app id, so the guide does not start. ` +
        'An app id begins with gp_, then 4 to 64 letters, digits, "_" or "-".'
      );
    case 'nowhere':
      return (
        'The script tag has neither data-gp-app nor data-gp-api, and there is no <guidepost-guide app="gp_…" api="https://…"> ' +
        'on this page, so the guide does not start.'
      );
    case 'boot/origin_not_allowed':
      return `The service does not know app id "${appId}", or ${origin} is not among its allowed domains${request}. ${domains}`;
    // The service answers, yet lets this page not read what: it allows neither.
    case 'blocked':
      return (
        `${apiUrl} answers, but not to a page of ${origin}: it does not know app id "${appId}", or ${origin} is not ` +
        `among its allowed domains. ${domains}`
      );
    case 'boot/origin_mismatch':
      return `The service saw another Origin header than ${origin}; something between the page and it rewrites the header${request}.`;
    case 'boot/workspace_disabled':
      return (
        `The workspace of app id "${appId}" is disabled, or not on the rollout list of the server${request}. ` +
        `Switch it on with "${cli('workspace enable ID')}". ${ofWorkspace}.`
      );
    case 'boot/unavailable':
      return (
        `The guide is switched off for every workspace at the moment${request}. ` +
        `Switch it on again with "${cli('killswitch off')}".`
      );
    case 'rate_limit/exceeded':
      return `Too many boots from this network; it may try again in ${retryAfterSeconds ?? 60} seconds${request}.`;
    case 'network':
    case 'timeout':
      return (
        `${apiUrl} could not be reached from ${origin}. Check data-gp-api, that the service runs, and that the content ` +
        'security policy of this page, if it has one, lets it connect there (connect-src).'
      );
    case 'protocol':
      return `${apiUrl} answers, but not like a Guidepost service. Check data-gp-api.`;
    case 'bot':
      return 'The service takes this browser for a bot and gave it no visitor token.';
    case 'chat_off':
      return 'Chat is switched off for this workspace.';
    case 'piece':
      return (
        'The panel could not be loaded from the folder of guide.js. Check the connection, and that the content security ' +
        'policy of this page lets scripts of that origin in (script-src).'
      );
    default:
      return `The guide could not start: ${code}${request}.`;
  }
}
