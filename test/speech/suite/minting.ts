import { describe, expect, it } from 'vitest';
import type { MintedToken, TokenKind } from '../../../server/speech/speech.ts';
import type { Subject, Traits } from '../speech.suite.ts';
import { describeTroubles, unaborted } from './troubles.ts';

const TOKEN_SECONDS = 60;

export function describeMinting(subject: () => Subject, { key }: Traits): void {
  describe('a token', () => {
    it('is for the moments in which a browser opens its session', async () => {
      const { token, expiresAt } = await mint(subject());
      expect(token.length).toBeGreaterThan(10);
      const seconds = (expiresAt - Date.now()) / 1000;
      expect(seconds).toBeGreaterThan(TOKEN_SECONDS - 3);
      expect(seconds).toBeLessThanOrEqual(TOKEN_SECONDS + 1);
    });

    it('is another one for each session', async () => {
      const tokens = await Promise.all([mint(subject()), mint(subject()), mint(subject())]);
      expect(new Set(tokens.map(({ token }) => token)).size).toBe(3);
    });

    it('says where a session is opened that is not opened here', async () => {
      const { transport, url } = await mint(subject());
      const scheme = { webrtc: 'http:', websocket: 'ws:', upload: undefined, mock: undefined }[transport];
      expect(url && new URL(url).protocol).toBe(scheme);
    });

    it('is made for every kind that the provider names', async () => {
      const { minting } = subject().speech;
      for (const kind of minting[0]!.kinds) expect((await mint(subject(), kind)).token).not.toBe('');
    });

    it('is made for a language as for none, and for one that is no language', async () => {
      const { minting } = subject().speech;
      for (const locale of ['de-CH', 'en', 'not a language']) {
        await minting[0]!.mint({ kind: 'realtime', locale }, unaborted());
      }
    });

    it('never is the key', async () => {
      for (const kind of subject().speech.minting[0]!.kinds) {
        expect(JSON.stringify(await mint(subject(), kind))).not.toContain(key ?? 'no key at all');
      }
    });

    if (key)
      describeTroubles(subject, mintRealtime, [
        ['cut', 'upstream'],
        ['stalls', 'timeout'],
      ]);
  });
}

function mint({ speech }: Subject, kind: TokenKind = 'realtime'): Promise<MintedToken> {
  return speech.minting[0]!.mint({ kind }, unaborted());
}

function mintRealtime({ speech }: Subject, signal: AbortSignal): Promise<MintedToken> {
  return speech.minting[0]!.mint({ kind: 'realtime' }, signal);
}
