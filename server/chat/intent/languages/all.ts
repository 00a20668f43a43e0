import { en } from './en.ts';
import type { SmallTalk } from './language.ts';

export const SMALL_TALK: Readonly<Record<string, SmallTalk>> = {
  en,
};
