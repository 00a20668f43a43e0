import type { SmallTalk } from './small-talk.ts';

export const OTHER_SCRIPTS: Readonly<Record<string, SmallTalk>> = {};
