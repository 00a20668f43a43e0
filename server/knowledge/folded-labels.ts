import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArticleHead } from '../storage/articles.ts';
import { fold } from './tokenize.ts';

const CHARS_A_TURN = 50_000;

/** Folds what articles are called: title, slug and aliases, each on a line. Others have a turn after so much text. */
export function labelFolding(): (article: Pick<ArticleHead, 'slug' | 'content'>) => Promise<string> {
  let chars = 0;
  return async ({ slug, content }) => {
    const text = [content.title, slug, ...content.aliases].join('\n');
    chars += text.length;
    if (chars > CHARS_A_TURN) {
      chars = 0;
      await nextTurn();
    }
    return fold(text, 'und');
  };
}
