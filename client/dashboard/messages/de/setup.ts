import type { Messages } from '../en.ts';

export const setup: Messages['setup'] = {
  title: 'Guidepost einrichten',
};
