/** The meaning of English texts by their words, from a table of word vectors; word-vectors/NOTICE.md names its source. */

/** Returns the normalized sum of the word vectors of an English text, or undefined when no word is known. */
export async function measureMeaning(text: string): Promise<Float32Array | undefined> {
  loading ??= loadTable();
  const table = await loading;
  const sum = createVector(table);
  for (const word of text.toLowerCase().match(/[a-z]{2,}/g) ?? []) addWord(table, sum, word);
  const length = Math.hypot(...sum);
  return length === 0 ? undefined : sum.map((value) => value / length);
}

type WordTable = {
  readonly dimensions: number;
  readonly rows: ReadonlyMap<string, number>;
  /** One factor per row. */
  readonly factors: Uint8Array;
  /** Two numbers per byte; see NUMBER_OFFSET. */
  readonly vectors: Uint8Array;
};

/** Added to the numbers -7 to 7 to store them in four bits. */
const NUMBER_OFFSET = 8;

let loading: Promise<WordTable> | undefined;

/** Loads the table on first use: it has 1 MB, and installations without English articles never need it. */
async function loadTable(): Promise<WordTable> {
  const { default: file } = await import('./word-vectors/english.json', { with: { type: 'json' } });
  return {
    dimensions: file.dimensions,
    rows: new Map(file.words.split(' ').map((word, row) => [word, row])),
    factors: Buffer.from(file.factors, 'base64'),
    vectors: Buffer.from(file.vectors, 'base64'),
  };
}

const createVector = ({ dimensions }: WordTable) => new Float32Array(dimensions);

/** Returns whether the word is known. */
function addWord(
  { dimensions, rows, factors, vectors }: WordTable,
  sum: Float32Array,
  word: string,
): boolean {
  const row = rows.get(word);
  if (row === undefined) return false;
  const factor = factors[row]!;
  const first = row * dimensions;
  for (let at = 0; at < dimensions; at += 1) {
    const pair = vectors[(first + at) >> 1]!;
    const number = (first + at) % 2 === 0 ? pair & 15 : pair >> 4;
    sum[at]! += (number - NUMBER_OFFSET) * factor;
  }
  return true;
}
