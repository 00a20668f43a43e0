import type { EventPosition, Step } from '../storage/events.ts';
import { columnsOf, headerOf, linesOf } from './csv.ts';

/** How rows of any kind are read from the storage: a bounded number in one turn of the event loop. */
export type Source<Row, Wire extends object> = {
  pick(limit: number, after?: EventPosition): Promise<Step<readonly Row[]>>;
  /** Rows as JSON lines, where the storage writes them itself. */
  readonly queryLines?: Picking;
  readonly placeOf: (row: Row) => EventPosition;
  readonly wireOf: (row: Row) => Wire;
  /** Few where each may be long. */
  readonly rowsAStep: number;
  /** Roughly how long a row is, where that may be much. */
  readonly charsOf?: (row: Row) => number;
};

export type Circumstances = {
  readonly pace: () => Promise<void>;
  /** Nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Says whether the workspace is still there. */
  readonly stands: () => Promise<boolean>;
};

const PAGE_CHARS_MAX = 4_000_000;

export type Page<Wire> = {
  readonly data: Wire[];
  readonly last: EventPosition | undefined;
  readonly hasMore: boolean;
};

/** Reads one row more than the page has, to know whether there is one. */
export async function readPage<Row, Wire extends object>(
  source: Source<Row, Wire>,
  limit: number,
  from: EventPosition | undefined,
  circumstances: Circumstances,
): Promise<Page<Wire>> {
  const { pace, signal } = circumstances;
  const data: Wire[] = [];
  let last: EventPosition | undefined;
  let chars = 0;
  for (let after = from; !signal.aborted; ) {
    await pace();
    const wanted = Math.min(source.rowsAStep, limit + 1 - data.length);
    const { found, goOn } = await source.pick(wanted, after);
    await requireStanding(circumstances);
    for (const row of found) {
      chars += source.charsOf?.(row) ?? 0;
      if (data.length === limit || (data.length > 0 && chars > PAGE_CHARS_MAX)) {
        return { data, last, hasMore: true };
      }
      data.push(source.wireOf(row));
      last = source.placeOf(row);
    }
    if (!goOn) break;
    after = goOn;
  }
  return { data, last, hasMore: false };
}

/** JSON lines, many at once. */
export function jsonLines<Row, Wire extends object>(
  source: Source<Row, Wire>,
  circumstances: Circumstances,
): AsyncGenerator<string> {
  const pick: Picking =
    source.queryLines ??
    (async (limit, after) => {
      const { found, ...step } = await source.pick(limit, after);
      return { ...step, found: found.map((row) => JSON.stringify(source.wireOf(row))).join('\n') };
    });
  return allOf(pick, source.rowsAStep, circumstances);
}

/** The header, then the rows, many at once. */
export async function* csvLines<Row, Wire extends object>(
  source: Source<Row, Wire>,
  schema: Parameters<typeof columnsOf>[0],
  circumstances: Circumstances,
): AsyncGenerator<string> {
  const columns = columnsOf(schema);
  const pick: Picking = async (limit, after) => {
    const { found, ...step } = await source.pick(limit, after);
    return { ...step, found: linesOf(columns, found.map(source.wireOf)) };
  };
  const rows = await begun(allOf(pick, source.rowsAStep, circumstances));
  yield headerOf(columns);
  yield* rows;
}

type Picking = (limit: number, after?: EventPosition) => Promise<Step<string>>;

async function* allOf(
  pick: Picking,
  rowsAStep: number,
  circumstances: Circumstances,
): AsyncGenerator<string> {
  const { pace, signal } = circumstances;
  let after: EventPosition | undefined;
  for (;;) {
    await pace();
    if (signal.aborted) return;
    const { found, goOn } = await pick(rowsAStep, after);
    await requireStanding(circumstances);
    if (found !== '') yield found;
    if (!goOn) return;
    after = goOn;
  }
}

/** A deleted workspace loses its rows one after the other; what is left of them would look like all. */
async function requireStanding({ stands }: Circumstances): Promise<void> {
  if (!(await stands())) throw new Error('a workspace was deleted while it was exported');
}

/** Waits for the first piece, so that what goes wrong at once is refused instead of cut off. */
export async function begun(pieces: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  const first = await pieces.next();
  return (async function* () {
    try {
      if (first.done) return;
      yield first.value;
      yield* pieces;
    } finally {
      await pieces.return(undefined);
    }
  })();
}
