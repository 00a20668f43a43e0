/**
 * IBM Model 1 (Brown et al. 1993): estimates from sentence pairs how probably one word translates
 * another. Pairs of words that occur together are numbered, so each pass runs over typed arrays.
 */

/** The sentences of one language as word numbers. */
export type Side = {
  /** All sentences in a row. */
  readonly words: Int32Array;
  /** Where each sentence starts in `words`, and the end of the last. */
  readonly starts: Int32Array;
  /** Number of distinct words. */
  readonly vocabulary: number;
};

/** Entries by left word: entry `at` in `starts[left]..starts[left + 1]` is p(rights[at] | left). */
export type Probabilities = {
  readonly starts: Int32Array;
  readonly rights: Int32Array;
  readonly values: Float32Array;
};

const ITERATIONS = 5;

/**
 * Estimates p(right | left). The last left word, numbered `left.vocabulary`, is the empty word, to
 * which right words without a counterpart belong.
 */
export function estimate(left: Side, right: Side): Probabilities {
  const { starts, rights, links, linkStarts } = linkWords(left, right);
  const values = new Float32Array(rights.length).fill(1);
  const counts = new Float32Array(rights.length);
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    counts.fill(0);
    for (let sentence = 0; sentence + 1 < right.starts.length; sentence += 1) {
      const width = right.starts[sentence + 1]! - right.starts[sentence]!;
      countSentence(values, counts, links.subarray(linkStarts[sentence]!, linkStarts[sentence + 1]!), width);
    }
    normalize(starts, counts, values);
  }
  return { starts, rights, values };
}

/** Distributes each right word over the left words of its sentence. */
function countSentence(values: Float32Array, counts: Float32Array, links: Int32Array, width: number): void {
  for (let column = 0; column < width; column += 1) {
    let sum = 0;
    for (let at = column; at < links.length; at += width) sum += values[links[at]!]!;
    if (sum === 0) continue;
    for (let at = column; at < links.length; at += width) {
      const entry = links[at]!;
      counts[entry]! += values[entry]! / sum;
    }
  }
}

function normalize(starts: Int32Array, counts: Float32Array, values: Float32Array): void {
  for (let word = 0; word + 1 < starts.length; word += 1) {
    let sum = 0;
    for (let entry = starts[word]!; entry < starts[word + 1]!; entry += 1) sum += counts[entry]!;
    for (let entry = starts[word]!; entry < starts[word + 1]!; entry += 1) {
      values[entry] = sum === 0 ? 0 : counts[entry]! / sum;
    }
  }
}

/**
 * Numbers the pairs of words that occur together. `links` has, for each sentence, a row per left
 * word and a last row for the empty word, with the number of the pair in each column.
 */
function linkWords(left: Side, right: Side) {
  const linkStarts = findLinkStarts(left, right);
  const links = new Int32Array(linkStarts.at(-1)!);
  const starts = new Int32Array(left.vocabulary + 2);
  const rights = createNumbers();
  const lastLeft = new Int32Array(right.vocabulary).fill(-1);
  const entries = new Int32Array(right.vocabulary);
  const occurrences = findOccurrences(left);
  for (let word = 0; word <= left.vocabulary; word += 1) {
    for (let at = occurrences.starts[word]!; at < occurrences.starts[word + 1]!; at += 1) {
      const sentence = occurrences.sentences[at]!;
      const from = right.starts[sentence]!;
      const width = right.starts[sentence + 1]! - from;
      const row = linkStarts[sentence]! + occurrences.rows[at]! * width;
      for (let column = 0; column < width; column += 1) {
        const other = right.words[from + column]!;
        if (lastLeft[other] !== word) {
          lastLeft[other] = word;
          entries[other] = rights.length;
          rights.push(other);
        }
        links[row + column] = entries[other]!;
      }
    }
    starts[word + 1] = rights.length;
  }
  return { starts, rights: rights.toArray(), links, linkStarts };
}

function findLinkStarts(left: Side, right: Side): Int32Array {
  const starts = new Int32Array(left.starts.length);
  for (let sentence = 0; sentence + 1 < left.starts.length; sentence += 1) {
    const rows = left.starts[sentence + 1]! - left.starts[sentence]! + 1;
    const width = right.starts[sentence + 1]! - right.starts[sentence]!;
    starts[sentence + 1] = starts[sentence]! + rows * width;
  }
  return starts;
}

/** Where each word occurs: its sentences, and its rows in them. */
function findOccurrences({ words, starts: sentenceStarts, vocabulary }: Side) {
  const sentenceCount = sentenceStarts.length - 1;
  const starts = new Int32Array(vocabulary + 2);
  for (const word of words) starts[word + 1]! += 1;
  starts[vocabulary + 1] = sentenceCount;
  for (let word = 0; word <= vocabulary; word += 1) starts[word + 1]! += starts[word]!;
  const next = starts.slice();
  const sentences = new Int32Array(words.length + sentenceCount);
  const rows = new Int32Array(words.length + sentenceCount);
  for (let sentence = 0; sentence < sentenceCount; sentence += 1) {
    const from = sentenceStarts[sentence]!;
    const size = sentenceStarts[sentence + 1]! - from;
    for (let row = 0; row <= size; row += 1) {
      const at = next[row === size ? vocabulary : words[from + row]!]!++;
      sentences[at] = sentence;
      rows[at] = row;
    }
  }
  return { starts, sentences, rows };
}

export type Numbers = { readonly length: number; push(value: number): void; toArray(): Int32Array };

/** A growing array of 32-bit integers. */
export function createNumbers(): Numbers {
  let values = new Int32Array(1_024);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === values.length) {
        const grown = new Int32Array(length * 2);
        grown.set(values);
        values = grown;
      }
      values[length] = value;
      length += 1;
    },
    toArray: () => values.slice(0, length),
  };
}
