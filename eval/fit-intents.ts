/**
 * Fits the regression that tells small talk from questions: on the examples, the questions of the development half, titles
 * of the demo and joined messages. Writes it for the embedding model to server/chat/intent/regressions.json, and prints
 * what cross-validation and both halves get.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { openVectorCache } from '../bench/retrieval/compare-in-memory.ts';
import { openModel } from '../model/index.ts';
import { packVector } from '../server/base/vector.ts';
import { countWords } from '../server/chat/intent/count-words.ts';
import { QUESTION_MAX, WORDS_MIN } from '../server/chat/intent/intents.ts';
import { openSoftmax, type Softmax } from '../server/chat/intent/softmax.ts';
import { hash } from './corpora.ts';
import { EXAMPLE_LABELS, readIntentExamples, readPageExamples } from './examples.ts';
import { fitSoftmax, type Row } from './softmax.ts';
import { readConversations, type Turn } from './turns.ts';

const FILE = new URL('../server/chat/intent/regressions.json', import.meta.url);
const DEMO = new URL('../server/demo/knowledge/gnome-help.jsonl', import.meta.url);

type Label = (typeof EXAMPLE_LABELS)[number];
type Example = { text: string; label: Label; weight: number };

/** Titles are about one subject, and are shorter than most questions. */
const TITLE_WEIGHT = 0.5;
/** Small talk before or after a question does not make it small talk. */
const JOINED = ['greeting', 'thanks', 'goodbye', 'praise', 'capabilities'] as const;
const FOLDS = 3;

const turns = readConversations().flatMap(({ half, locale, turns: all }) =>
  all.map((turn) => ({ ...turn, half, locale })),
);
const examples = [
  ...listExamples(),
  ...listJoined(),
  ...listTitles(),
  ...turns
    .filter(({ half, category }) => half === 'development' && category !== 'small-talk')
    .map(({ asks }) => toQuestion(asks)),
];

const model = openModel();
const cache = openVectorCache(model);
const getVector = (text: string) => cache.embed('query', text);
try {
  for (const { text } of examples) getVector(text);
  for (const { asks } of turns) getVector(asks);
  cache.save();
  crossValidate();
  const regressions = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Softmax>;
  writeFileSync(FILE, `${JSON.stringify({ ...regressions, [model.id]: fitExamples(examples) }, null, 2)}\n`);
  await reportHalves();
} finally {
  model.close();
}

function toQuestion(text: string, weight = 1): Example {
  return { text, label: 'question', weight };
}

function listExamples(): Example[] {
  const ofIntents = Object.values(readIntentExamples()).flatMap((byLabel) =>
    Object.entries(byLabel).flatMap(([label, messages]) =>
      messages.map((text) => ({ text, label: label as Label, weight: 1 })),
    ),
  );
  const ofPages = Object.values(readPageExamples()).flatMap(({ page, information }) => [
    ...page,
    ...information,
  ]);
  return [...ofIntents, ...ofPages.map((text) => toQuestion(text))];
}

/** Joins each question with small talk of its language. */
function listJoined(): Example[] {
  return Object.values(readIntentExamples()).flatMap((byLabel) =>
    byLabel.question.map((question, at) => {
      const messages = byLabel[JOINED[at % JOINED.length]!];
      const other = messages[hash(question) % messages.length]!;
      return toQuestion(
        at % 3 === 0 ? `${question} ${other}` : `${other.replace(/[\p{P}\s]+$/u, '')}, ${question}`,
      );
    }),
  );
}

function listTitles(): Example[] {
  const lines = readFileSync(DEMO, 'utf8').trim().split('\n');
  const titles = lines.flatMap((line) => {
    const { title, translations = [] } = JSON.parse(line) as {
      title: string;
      translations?: { title: string }[];
    };
    return [title, ...translations.map((translation) => translation.title)];
  });
  return titles.map((title) => toQuestion(title, TITLE_WEIGHT));
}

function fitExamples(from: readonly Example[]): Softmax {
  const rows = from.map(
    ({ text, label, weight }): Row => ({
      ...{ vector: getVector(text), weight },
      label: EXAMPLE_LABELS.indexOf(label),
    }),
  );
  const { weights, biases } = fitSoftmax(rows, EXAMPLE_LABELS.length);
  return {
    labels: EXAMPLE_LABELS,
    biases: [...biases].map((x) => Number(x.toFixed(4))),
    weights: weights.map((row) => packVector([...row])),
  };
}

function crossValidate(): void {
  const question = EXAMPLE_LABELS.indexOf('question');
  const judged = Array.from({ length: FOLDS }, (_, fold) => {
    const isHeldOut = ({ text }: Example) => hash(text) % FOLDS === fold;
    const others = examples.filter((example) => !isHeldOut(example));
    const computeShares = openSoftmax(fitExamples(others));
    return examples.filter(isHeldOut).flatMap(({ text, label }) => {
      if (countWords(text) < WORDS_MIN) return [];
      const shares = computeShares([...getVector(text)]);
      const best = shares.indexOf(Math.max(...shares.filter((_share, at) => at !== question)));
      return [{ text, label, share: shares[question]!, isRight: EXAMPLE_LABELS[best] === label }];
    });
  }).flat();
  const smallTalk = judged.filter(({ label }) => label !== 'question');
  const questions = judged.filter(({ label }) => label === 'question');
  for (const [kind, limit] of Object.entries(QUESTION_MAX)) {
    const recognized = smallTalk.filter(({ share }) => share < limit);
    const right = recognized.filter(({ isRight }) => isRight);
    const taken = questions.filter(({ share }) => share < limit);
    process.stdout.write(
      `cross-validation, ${kind}: recognized ${formatShare(recognized.length, smallTalk.length)}, right intent ${formatShare(
        right.length,
        smallTalk.length,
      )}, questions taken ${taken.length} of ${questions.length}\n`,
    );
  }
}

/** Recognizes all turns as the service does, with the regression that has just been written. */
async function reportHalves(): Promise<void> {
  const { recognizeIntent } = await import('../server/chat/intent/recognize-intent.ts');
  const embedMessages = async (texts: readonly string[]) => ({
    model: model.id,
    vectors: texts.map((text) => [...getVector(text)]),
  });
  for (const half of ['development', 'test'] as const) {
    const results = await Promise.all(
      turns
        .filter((turn) => turn.half === half)
        .map(async (turn) => ({
          turn,
          recognized: await recognizeIntent(turn.asks, turn.locale, embedMessages),
        })),
    );
    const isSmallTalk = ({ turn }: { turn: Turn }) => turn.category === 'small-talk';
    const smallTalk = results.filter(isSmallTalk);
    const replied = smallTalk.filter(({ recognized }) => recognized?.rest === '');
    const right = replied.filter(({ turn, recognized }) => recognized?.intent === turn.intent);
    const questions = results.filter((result) => !isSmallTalk(result));
    const taken = questions.filter(({ recognized }) => recognized?.rest === '');
    process.stdout.write(
      `${half}: own reply ${formatShare(replied.length, smallTalk.length)}, right intent ${formatShare(
        right.length,
        smallTalk.length,
      )}, questions taken ${taken.length} of ${questions.length}\n`,
    );
    if (half === 'test') continue;
    const missed = smallTalk.filter((result) => !right.includes(result));
    for (const { turn, recognized } of [
      ...missed,
      ...taken,
      ...questions.filter(({ recognized: r }) => r?.rest),
    ])
      process.stdout.write(
        `  ${turn.intent ?? turn.category}: ${turn.asks} → ${recognized?.intent} ${recognized?.rest ?? ''}\n`,
      );
  }
}

function formatShare(count: number, of: number): string {
  return `${((100 * count) / of).toFixed(1)} %`;
}
