import { boot } from './boot.ts';
import { chat } from './chat.ts';
import { consent } from './consent.ts';
import { visitor } from './visitor.ts';

/** Everything that is promised: one router a surface. */
export const contract = { boot, chat, consent, visitor };

export type Contract = typeof contract;
