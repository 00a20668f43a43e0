import type { Messages } from '../en.ts';

export const invitation: Messages['invitation'] = {
  title: 'Einladung',
};
