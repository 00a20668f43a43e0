/** How near texts that have nothing to do with any workspace are to a question. */
import file from '../meaning/background-vectors.json' with { type: 'json' };
import { compareVectors, encodeVectors, joinVectors, type VectorBlock } from './vectors.ts';

const NEAREST = 5;

/** Returns the mean cosine of the nearest background texts. */
type MeasureBackground = (question: readonly number[]) => number;

/** Opens the background of the model that the service contains; for other models, it is 0. */
export function openBackground(model: string): MeasureBackground {
  return file.model === model ? measureBackground(Buffer.from(file.vectors, 'base64')) : () => 0;
}

/** @param encoded what `encodeVectors` returned for the background texts */
export function measureBackground(encoded: Uint8Array): MeasureBackground {
  let block: VectorBlock | undefined;
  return (question) => {
    block ??= joinVectors([encoded], question.length);
    const query = joinVectors([encodeVectors([question])], question.length);
    const nearest = compareVectors(query, block).sort().slice(-NEAREST);
    return nearest.reduce((sum, cosine) => sum + cosine, 0) / nearest.length || 0;
  };
}
