import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REQUEST_LIMITS } from '../../contract/limits/requests.ts';
import type { Tenant } from '../../contract/workspace.ts';
import { ORIGIN } from '../support/harness.ts';
import { expectError } from '../support/response.ts';
import { openTeam, type Team } from '../support/team.ts';

let team: Team;
beforeEach(async () => {
  team = await openTeam();
});
afterEach(() => team.close());

const change = (json: unknown) => team.as('admin').patch<Tenant>('', json);
const read = async () => (await team.as('member').get<Tenant>('')).json;
const auditOf = (action: string) =>
  team.harness.service.store
    .in(team.workspace.id)
    .audit.list(100)
    .then((rows) => rows.filter((row) => row.action === action));

const RULE = { kind: 'style', name: 'Tone', text: 'Be informal.', enabled: true } as const;

describe('workspace settings', () => {
  it('are returned in full to every member', async () => {
    const { workspace } = team;
    for (const person of ['owner', 'admin', 'member'] as const) {
      const response = await team.as(person).get<Tenant>('');
      expect(response.status).toBe(200);
      expect(response.json).toStrictEqual({
        id: workspace.id,
        appId: workspace.appId,
        name: 'A shop',
        enabled: true,
        allowedOrigins: [ORIGIN, 'https://*.shop.example.com'],
        sourceLocale: 'en',
        features: { pageActions: true, screenshot: true, feedback: true },
        showBranding: true,
        consentStrictness: 'region',
        suggestions: ['How do I reset my password?'],
        voice: { enabled: true, monthlySecondsMax: 3600, timeZone: 'UTC' },
        guide: { generalAnswers: false },
        branding: { launcher: 'end' },
        handover: { mode: 'off' },
        helpCentre: {
          ...{ enabled: false, headerLinks: [], footerLinks: [] },
          ...{ searchEngines: true, aiCrawlers: true, showGuide: true },
        },
        requireSecondFactor: false,
        retention: { conversationDays: 395, eventDays: 395 },
        consentStrictnessByRegion: [],
        pathRules: [],
        version: 1,
        createdAt: new Date(workspace.createdAt).toISOString(),
        updatedAt: new Date(workspace.updatedAt).toISOString(),
      });
    }
    expectError(await team.as('stranger').get(''), 'tenant/not_found');
  });

  it('return the branding that visitors see', async () => {
    const branding = { title: ' Ask  the shop ', color: '#1F6FEB', launcher: 'start' };
    const response = await change({ branding });
    const normalized = { title: 'Ask the shop', color: '#1f6feb', launcher: 'start' };
    expect(response.json).toMatchObject({ branding: normalized });
    team.harness.clock.advance(1001);
    expect((await team.harness.boot()).config.branding).toStrictEqual(normalized);
    const plain = await change({ branding: { title: null, color: null } });
    expect(plain.json).toMatchObject({ branding: { launcher: 'start' } });
    for (const wrong of [
      { color: 'red' },
      { color: '#12345g' },
      { title: '' },
      { title: '\u0007' },
      { launcher: 'left' },
    ]) {
      expectError(await change({ branding: wrong }), 'request/invalid');
    }
  });

  it('change only the fields in the body and store them in canonical form', async () => {
    const response = await change({
      name: '  The\tbicycle  shop ',
      allowedOrigins: ['HTTPS://Shop.Example:443', 'https://shop.example', 'https://*.bücher.example'],
      sourceLocale: 'DE-at',
      features: { screenshot: false },
      showBranding: false,
      consentStrictness: 'opt_in',
      suggestions: [' Where is my order? '],
      voice: { monthlySecondsMax: 60, timeZone: 'europe/vienna', voiceId: 'alloy' },
    });
    expect(response.status).toBe(200);
    expect(response.json).toMatchObject({
      name: 'The bicycle shop',
      allowedOrigins: ['https://shop.example', 'https://*.xn--bcher-kva.example'],
      sourceLocale: 'de-AT',
      features: { pageActions: true, screenshot: false, feedback: true },
      showBranding: false,
      consentStrictness: 'opt_in',
      suggestions: ['Where is my order?'],
      voice: { enabled: true, monthlySecondsMax: 60, timeZone: 'Europe/Vienna', voiceId: 'alloy' },
      version: 2,
    });
    expect(await read()).toStrictEqual(response.json);
  });

  it('drop invisible characters but keep joiners in scripts and emoji', async () => {
    const { json } = await change({
      name: '\u202eevil\u202c \u2066shop\u2069',
      branding: { title: 'Ask\u200b the\u2800\u0085shop\u00ad 👩\u200d🚀❤\ufe0f' },
      suggestions: ['چه\u200cطور می\u200cتوانم بپردازم؟'],
      guide: { rules: [{ ...RULE, text: 'Be\u200b informal.\u0001\n\u202eSpeak.' }] },
    });
    expect(json).toMatchObject({
      name: 'evil shop',
      branding: { title: 'Ask the shop 👩\u200d🚀❤\ufe0f' },
      suggestions: ['چه\u200cطور می\u200cتوانم بپردازم؟'],
      guide: { rules: [{ ...RULE, text: 'Be informal. \nSpeak.' }] },
    });
  });

  it('store rules in order, and limits of the guide until they are set to null', async () => {
    const rules = [
      { ...RULE, name: ' Tone ', text: '  Be informal.\r\nSpeak of\tbicycles only. ' },
      {
        kind: 'hand_over',
        name: 'Refunds',
        when: ' the visitor\nwants money back ',
        text: 'Help.',
        enabled: false,
      },
    ];
    const first = await change({ guide: { rules, monthlyTokensMax: 5000, turnTokensMax: 800 } });
    expect(first.json.guide).toStrictEqual({
      rules: [
        { ...RULE, text: 'Be informal.\nSpeak of bicycles only.' },
        {
          kind: 'hand_over',
          name: 'Refunds',
          when: 'the visitor wants money back',
          text: 'Help.',
          enabled: false,
        },
      ],
      generalAnswers: false,
      monthlyTokensMax: 5000,
      turnTokensMax: 800,
    });
    const second = await change({ guide: { generalAnswers: true, rules: [], monthlyTokensMax: null } });
    expect(second.json.guide).toStrictEqual({ generalAnswers: true, rules: [], turnTokensMax: 800 });
    expect(await read()).toStrictEqual(second.json);
    const long = { ...RULE, text: 'x'.repeat(4000) };
    for (const guide of [
      { rules: [{ ...RULE, text: ' \n ' }] },
      { rules: [{ ...RULE, name: '\u0000' }] },
      { rules: [{ ...RULE, kind: 'shout' }] },
      { rules: Array(31).fill(RULE) },
      { rules: [long, long, RULE] },
      { turnTokensMax: 10 },
      { monthlyTokensMax: -1 },
    ]) {
      expectError(await change({ guide }), 'request/invalid');
    }
    expectError(await change({ guide: {} }), 'request/invalid');
  });

  it('return how long data is kept, from one day to five years', async () => {
    expect((await read()).retention).toStrictEqual({ conversationDays: 395, eventDays: 395 });
    const { json } = await change({ retention: { conversationDays: 30 } });
    expect(json.retention).toStrictEqual({ conversationDays: 30, eventDays: 395 });
    for (const eventDays of [0, 1827, 1.5, null]) {
      expectError(await change({ retention: { eventDays } }), 'request/invalid');
    }
    expect((await auditOf('workspace.changed')).map(({ details }) => details)).toStrictEqual([
      { before: {}, after: { retention: { conversationDays: 30, eventDays: 395 } } },
    ]);
  });

  it('reject a contact page whose canonical address is too long', async () => {
    const url = `https://shop.example?${'q'.repeat(REQUEST_LIMITS.urlCharsMax - 'https://shop.example?'.length)}`;
    expectError(await change({ contact: { url } }), 'request/invalid');
    expectError(
      await change({ contact: { url: `https://shop.example/${'é'.repeat(2000)}` } }),
      'request/invalid',
    );
  });

  it('return the contact that visitors see until each field is null', async () => {
    const contact = {
      email: 'help@shop.example',
      url: 'HTTPS://Shop.example/contact us',
      phone: '+43 1 23 45',
    };
    expectError(await change({ contact }), 'request/invalid');
    const first = await change({ contact: { ...contact, url: 'HTTPS://Shop.example/contact' } });
    const stored = { ...contact, url: 'https://shop.example/contact' };
    expect(first.json.contact).toStrictEqual(stored);
    team.harness.clock.advance(1001);
    expect((await team.harness.boot()).config.contact).toStrictEqual(stored);
    await change({ contact: { email: null, url: null } });
    expect((await read()).contact).toStrictEqual({ phone: '+43 1 23 45' });
    await change({ contact: { phone: null } });
    expect(await read()).not.toHaveProperty('contact');
    team.harness.clock.advance(1001);
    expect((await team.harness.boot()).config).not.toHaveProperty('contact');
    expect((await auditOf('workspace.changed')).map(({ details }) => details)).toStrictEqual([
      { before: { contact: { phone: '+43 1 23 45' } }, after: {} },
      { before: { contact: { email: stored.email, url: stored.url } }, after: {} },
      { before: {}, after: { contact: stored } },
    ]);
  });

  it('remove a chosen voice when it is null and keep it when it is absent', async () => {
    await change({ voice: { voiceId: 'alloy' } });
    expect((await change({ voice: { enabled: false } })).json.voice).toMatchObject({ voiceId: 'alloy' });
    expect((await change({ voice: { voiceId: null } })).json.voice).toStrictEqual({
      enabled: false,
      monthlySecondsMax: 3600,
      timeZone: 'UTC',
    });
  });

  it('store the provider of each voice feature until it is set to `auto`', async () => {
    const own = {
      tokenProvider: 'provider_b-batch',
      transcribeProvider: 'provider_a',
      speechProvider: 'provider_c',
    };
    expect((await change({ voice: own })).json.voice).toMatchObject(own);
    expect((await change({ voice: { enabled: false, speechProvider: 'mock' } })).json.voice).toMatchObject({
      ...own,
      speechProvider: 'mock',
    });
    const voice = { tokenProvider: 'auto', transcribeProvider: 'auto', speechProvider: 'auto' };
    expect((await change({ voice })).json.voice).toStrictEqual({
      enabled: false,
      monthlySecondsMax: 3600,
      timeZone: 'UTC',
    });
    expect((await auditOf('workspace.changed')).map(({ details }) => details)).toStrictEqual([
      { before: { voice: { ...own, speechProvider: 'mock' } }, after: {} },
      {
        before: { voice: { enabled: true, speechProvider: 'provider_c' } },
        after: { voice: { enabled: false, speechProvider: 'mock' } },
      },
      { before: {}, after: { voice: own } },
    ]);
  });

  it('keep the time zone name as it was entered', async () => {
    const { json } = await change({ voice: { timeZone: 'Asia/Kolkata' } });
    expect(json.voice.timeZone).toBe('Asia/Kolkata');
  });

  it('keep both changes when two people change different fields at once', async () => {
    await Promise.all([
      change({ features: { screenshot: false } }),
      change({ features: { feedback: false } }),
      team.as('owner').patch('', { voice: { enabled: false } }),
      team.as('owner').patch('', { voice: { monthlySecondsMax: 1 } }),
    ]);
    expect(await read()).toMatchObject({
      features: { pageActions: true, screenshot: false, feedback: false },
      voice: { enabled: false, monthlySecondsMax: 1 },
      version: 5,
    });
  });

  it.each([
    [
      'an origin with a path',
      { allowedOrigins: ['https://a.example', 'https://a.example/x'] },
      'body.allowedOrigins.1',
    ],
    [
      'a wildcard for a whole top-level domain',
      { allowedOrigins: ['https://*.com'] },
      'body.allowedOrigins.0',
    ],
    [
      'a wildcard for a country domain under which anyone registers',
      { allowedOrigins: ['https://a.example', 'https://*.co.uk'] },
      'body.allowedOrigins.1',
    ],
    [
      'a wildcard for a host of strangers’ sites',
      { allowedOrigins: ['https://*.github.io'] },
      'body.allowedOrigins.0',
    ],
    ['no origin at all', { allowedOrigins: [] }, 'body.allowedOrigins'],
    ['an invalid locale', { sourceLocale: 'x1-y2' }, 'body.sourceLocale'],
    ['a locale that is not registered', { sourceLocale: 'xx-DE' }, 'body.sourceLocale'],
    ['an undetermined locale', { sourceLocale: 'und' }, 'body.sourceLocale'],
    ['an unknown time zone', { voice: { timeZone: 'Mars/Olympus' } }, 'body.voice.timeZone'],
    ['an offset in place of a time zone', { voice: { timeZone: '+01:00' } }, 'body.voice.timeZone'],
    ['an empty suggestion', { suggestions: ['Good?', ' '] }, 'body.suggestions.1'],
    ['a suggestion of a control character', { suggestions: ['\u0007'] }, 'body.suggestions.0'],
    ['eleven suggestions', { suggestions: Array(11).fill('Why?') }, 'body.suggestions'],
    ['a name of white space', { name: ' \t ' }, 'body.name'],
    ['a name of zero-width characters', { name: '\u200b\u200b' }, 'body.name'],
    ['a name of filler characters', { name: '\u2060 \u3164\u2800' }, 'body.name'],
    ['a name of combining marks only', { name: '\ufe0f\u0301' }, 'body.name'],
    ['a title of a bidi override only', { branding: { title: '\u202e' } }, 'body.branding.title'],
    ['a suggestion of zero-width characters', { suggestions: ['\ufeff\u200d'] }, 'body.suggestions.0'],
    [
      'a rule of zero-width characters',
      { guide: { rules: [{ ...RULE, text: '\u200b\n\u2063' }] } },
      'body.guide.rules.0.text',
    ],
    ['an unknown consent level', { consentStrictness: 'lax' }, 'body.consentStrictness'],
    ['a negative limit', { voice: { monthlySecondsMax: -1 } }, 'body.voice.monthlySecondsMax'],
    [
      'transcription by a provider that only speaks',
      { voice: { transcribeProvider: 'provider_c' } },
      'body.voice.transcribeProvider',
    ],
    [
      'speech by a provider that only transcribes',
      { voice: { speechProvider: 'provider_b-batch' } },
      'body.voice.speechProvider',
    ],
    ['null for a provider', { voice: { tokenProvider: null } }, 'body.voice.tokenProvider'],
    ['a contact with an invalid email address', { contact: { email: 'help' } }, 'body.contact.email'],
    ['a link that runs code', { contact: { url: 'javascript:alert(1)' } }, 'body.contact.url'],
    ['a link without a host', { contact: { url: 'https://?' } }, 'body.contact.url'],
    ['a link with a password', { contact: { url: 'https://a:b@shop.example' } }, 'body.contact.url'],
    ['a telephone number with letters', { contact: { phone: '0800 FLOWERS' } }, 'body.contact.phone'],
    [
      'a telephone number that is too long',
      { contact: { phone: '+1234567890123456' } },
      'body.contact.phone',
    ],
    ['an empty contact', { contact: {} }, 'body'],
    ['an empty body', {}, 'body'],
    ['an empty group of settings', { features: {} }, 'body'],
    ['null in place of a group of settings', { features: null }, 'body.features'],
    ['a new app id', { appId: 'gp_mine' }, 'body'],
    ['`enabled`, which only the operator sets', { enabled: false }, 'body'],
  ])('reject %s and name the field', async (_what, body, path) => {
    const { issues } = expectError(await change(body), 'request/invalid');
    expect(issues?.map((issue) => issue.path)).toStrictEqual([path]);
    expect(await read()).toMatchObject({ version: 1 });
  });

  it('report every problem of a body at once', async () => {
    const body = { name: '\u0000', sourceLocale: '1', allowedOrigins: ['a', 'b'], voice: { timeZone: 'X' } };
    const { issues } = expectError(await change({ ...body, sourceLocale: 'x-' }), 'request/invalid');
    expect(issues?.map(({ path }) => path).sort()).toStrictEqual([
      'body.allowedOrigins.0',
      'body.allowedOrigins.1',
      'body.name',
      'body.sourceLocale',
      'body.voice.timeZone',
    ]);
  });

  it('require the role owner or admin to change', async () => {
    expectError(await team.as('member').patch('', { name: 'Mine' }), 'tenant/role_required');
    expectError(await team.as('stranger').patch('', { name: 'Mine' }), 'tenant/not_found');
    expect((await team.as('owner').patch('', { name: 'Ours' })).status).toBe(200);
  });

  it('are audited with actor, time and the old and new values of changed fields only', async () => {
    await change({
      name: 'Books',
      features: { screenshot: false, feedback: true },
      voice: { voiceId: 'alloy' },
    });
    const [row, ...more] = await auditOf('workspace.changed');
    expect(more).toStrictEqual([]);
    expect(row).toMatchObject({
      actor: team.as('admin').memberId,
      subject: team.workspace.id,
      details: {
        before: { name: 'A shop', features: { screenshot: true } },
        after: { name: 'Books', features: { screenshot: false }, voice: { voiceId: 'alloy' } },
      },
    });
    expect(row?.details.before).toStrictEqual({ name: 'A shop', features: { screenshot: true } });
  });

  it('keep their version and add no audit entry when nothing changes', async () => {
    const response = await change({
      name: 'A  shop',
      features: { feedback: true },
      voice: { voiceId: null },
    });
    expect(response.json).toMatchObject({ version: 1, name: 'A shop' });
    expect(await auditOf('workspace.changed')).toStrictEqual([]);
  });
});

describe('settings on visitor pages', () => {
  it('take effect within five seconds', async () => {
    const { harness } = team;
    const before = await harness.boot();
    await change({ showBranding: false, consentStrictness: 'opt_in', features: { pageActions: false } });
    harness.clock.advance(5000);
    const after = await harness.boot();
    expect([before.show_branding, after.show_branding]).toStrictEqual([true, false]);
    expect(after.consent_directive.mode).toBe('opt_in');
    expect([before.features.page_actions, after.features.page_actions]).toStrictEqual([true, false]);
  });

  it('reject visitors from a removed origin and accept them from a new one', async () => {
    const { harness } = team;
    const { jwt } = await harness.boot();
    await change({ allowedOrigins: ['https://new.example'] });
    harness.clock.advance(5000);
    const boot = (origin: string) =>
      harness.fetch('/boot', { json: { app_id: harness.appId, origin, path: '/' }, headers: { origin } });
    expect((await boot(ORIGIN)).status).toBe(403);
    expect((await boot('https://new.example')).status).toBe(200);
    const chat = await harness.fetch('/conversations/conv-of-a-test', {
      headers: { authorization: `Bearer ${jwt}` },
    });
    expect(chat.status).toBe(401);
  });
});
