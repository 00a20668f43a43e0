import { systemReason } from '../../system-error.ts';
import { type ArticleInput, type FieldProblem, importLine, problemsOf } from './article-line.ts';

/** Where something stands in what is imported. */
export type Place = {
  readonly file: string;
  /** Counted from one. */
  readonly line?: number;
};

export type ImportProblem = Place & FieldProblem;

/** What a reader comes upon, in order: an article, or a part of the input that can't be read. */
export type Found =
  | { readonly article: ArticleInput; readonly at: Place; readonly bytesRead: number }
  | { readonly problems: readonly ImportProblem[]; readonly bytesRead: number };

/** What is to be imported can't be read at all; the message says why. */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource';
}

/** The same where the system did not let us read; any other error stays as it is. */
export function unreadable(path: string, error: unknown): unknown {
  const reason = systemReason(error);
  if (reason === undefined) return error;
  return new UnreadableSource(`${path} cannot be read: ${reason}.`, { cause: error });
}

/** What a value in the shape of an import line is: an article, or all that is wrong with it. */
export function foundFrom(value: unknown, at: Place, bytesRead: number): Found {
  const checked = importLine.safeParse(value);
  if (checked.success) return { article: checked.data, at, bytesRead };
  return { problems: problemsOf(checked.error).map((problem) => ({ ...at, ...problem })), bytesRead };
}
