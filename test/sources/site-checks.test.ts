import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/response.ts';
import { openTeam, type Team } from '../support/team.ts';
import { openWebsite, type Reply, type Website } from '../support/website.ts';

describe('POST /site-checks', () => {
  let team: Team;
  let site: Website;
  let origin = '';
  let page: () => Reply = () => ({ body: '' });
  beforeAll(async () => {
    team = await openTeam({ env: { SOURCE_NETWORKS: '127.0.0.0/8' } });
    site = await openWebsite((path) =>
      path.startsWith('/guide.js')
        ? { headers: { 'content-type': 'text/javascript' }, body: '1' }
        : { headers: { 'content-type': 'text/html; charset=utf-8' }, ...page() },
    );
    ({ origin } = site);
    await team.as('owner').patch('', { allowedOrigins: [origin] });
  });
  afterAll(() => Promise.all([team.close(), site.close()]));

  const check = (url = `${origin}/`) =>
    team.as('admin').post<{ findings: { code: string; status: string }[] }>('/site-checks', { url });
  const codesOf = async () => (await check()).json.findings.map(({ code }) => code);
  const tag = (app: string) =>
    `<script src="/guide.js" data-gp-app="${app}" data-gp-api="${origin}" async></script>`;

  it('finds nothing wrong with a page that has the tag of the workspace', async () => {
    page = () => ({ body: tag(team.workspace.appId) });
    expect(await codesOf()).toEqual([
      'page_read',
      'tag_found',
      'policy_absent',
      'script_loads',
      'origin_allowed',
    ]);
  });

  it('names what hinders the guide, by stable codes', async () => {
    page = () => ({
      body: tag('gp_other12345').repeat(2),
      headers: {
        'content-type': 'text/html',
        'content-security-policy': "script-src 'self'; connect-src 'none'",
      },
    });
    const { findings } = (await check()).json;
    expect(findings).toContainEqual({ code: 'tag_repeated', status: 'warning', detail: '2' });
    expect(findings).toContainEqual({
      code: 'policy_blocks',
      status: 'problem',
      detail: `connect-src ${origin}`,
    });
    expect(findings.at(-1)).toMatchObject({ code: 'origin_unknown', status: 'problem' });
    page = () => ({ body: '<h1>Shop</h1>' });
    expect(await codesOf()).toEqual(['page_read', 'tag_missing']);
    page = () => ({ status: 404, body: '' });
    expect(await codesOf()).toEqual(['page_unreadable']);
  });

  it('rejects pages of origins that the workspace does not allow, and members', async () => {
    const { issues } = expectError(await check('http://127.0.0.1:1/'), 'request/invalid');
    expect(issues).toMatchObject([{ path: 'body.url', code: 'origin_not_allowed' }]);
    const asMember = await team.as('member').post('/site-checks', { url: `${origin}/` });
    expectError(asMember, 'tenant/role_required');
  });
});
