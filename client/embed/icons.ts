/**
 * A name for style sheets, and the path on a grid of 24 by 24. Each icon is a constant, so that a bundle contains only
 * the icons it uses.
 */
export type Icon = readonly [name: string, path: string];

export const BUBBLE: Icon = ['bubble', 'M4 5h16v11h-8l-5 4v-4H4z'];
export const QUESTION: Icon = ['question', 'M8.5 9a3.5 3.5 0 1 1 5.2 3c-1.2.7-1.7 1.4-1.7 2.5M12 18.5v.1'];
export const WARNING: Icon = ['warning', 'M12 3 2 20h20zM12 10v4M12 17v.1'];
export const CLOSE: Icon = ['close', 'M6 6l12 12M18 6L6 18'];
export const SEND: Icon = ['send', 'M5 12h13M12 5l7 7-7 7'];
export const STOP: Icon = ['stop', 'M7 7h10v10H7z'];
export const MICROPHONE: Icon = [
  'microphone',
  'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v4',
];
const THUMB = 'M7 11v10H3V11zl4-8a3 3 0 0 1 3 3v4h5a2 2 0 0 1 2 2l-1 7a2 2 0 0 1-2 2H7';
export const THUMB_UP: Icon = ['up', THUMB];
export const THUMB_DOWN: Icon = ['down', THUMB];
export const COPY: Icon = ['copy', 'M9 9h11v11H9zM5 15H4V4h11v1'];
export const SPEAKER: Icon = ['speaker', 'M4 9v6h4l5 4V5L8 9zM17 9a4 4 0 0 1 0 6M19 6a8 8 0 0 1 0 12'];
export const SEARCH: Icon = ['search', 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16 16l5 5'];
export const BOOK: Icon = [
  'book',
  'M12 6c-2-1.5-4.5-2-8-2v14c3.5 0 6 .5 8 2 2-1.5 4.5-2 8-2V4c-3.5 0-6 .5-8 2zM12 6v14',
];
export const FOLDER: Icon = ['folder', 'M3 6h6l2 2h10v11H3z'];
export const PAPER: Icon = ['paper', 'M6 3h8l4 4v14H6zM14 3v4h4'];
export const PLUS: Icon = ['plus', 'M12 5v14M5 12h14'];
export const LIST: Icon = ['list', 'M9 6h11M9 12h11M9 18h11M4 6h1M4 12h1M4 18h1'];
export const ENLARGE: Icon = ['enlarge', 'M15 4h5v5M20 4l-7 7M9 20H4v-5M4 20l7-7'];
export const SHRINK: Icon = ['shrink', 'M20 10h-6V4M14 10l7-7M4 14h6v6M10 14l-7 7'];
