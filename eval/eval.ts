import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { environment, readConfig } from '../server/settings/config.ts';
import { runLanguageMessages } from './answer-language.ts';
import { CORPORA } from './corpora.ts';
import { openModelProxy } from './model-proxy.ts';
import { formatAnswerLanguages, formatFailures, formatReport } from './report.ts';
import { runConversations } from './run.ts';
import { CATEGORIES } from './turns.ts';

/** Runs the turns with the model of the LLM_* settings, or with the extractive engine. */

const help = `Asks every turn of eval/turns and reports what was answered. Tables go to stdout, progress to stderr.

  node eval/eval.ts [options]

  --half HALF          only development or test
  --only CATEGORY      only ${CATEGORIES.join(', ')}
  --corpus CORPUS      only ${CORPORA.join(', ')}
  --every N            only every Nth conversation, for slow models
  --sent               without a model, uses a stand-in that quotes the first passage it is sent, to see which articles a
                       model would be sent
  --failures           also prints each turn that went wrong, with what was cited
  --json FILE          also writes every turn with its score to FILE
  --help               shows this help

Uses the model of LLM_BASE_URL, LLM_API_KEY and LLM_MODEL; without them, the extractive engine.
`;

const { values } = parseArgs({
  options: {
    half: { type: 'string' },
    only: { type: 'string' },
    corpus: { type: 'string' },
    every: { type: 'string', default: '1' },
    sent: { type: 'boolean' },
    failures: { type: 'boolean' },
    json: { type: 'string' },
    help: { type: 'boolean' },
  },
});

const choices = { half: ['development', 'test'], only: CATEGORIES, corpus: CORPORA } as const;
for (const [option, allowed] of Object.entries(choices)) {
  const value = values[option as keyof typeof choices];
  if (value === undefined || (allowed as readonly string[]).includes(value)) continue;
  process.stderr.write(`--${option} is one of ${allowed.join(', ')}, not ${value}.\n`);
  process.exit(2);
}

const every = Number(values.every);
if (!Number.isInteger(every) || every < 1) {
  process.stderr.write(`--every is a whole number, not ${values.every}.\n`);
  process.exit(2);
}

if (values.help) process.stdout.write(help);
else {
  // Uses the embedding model inside the service, unless another one is configured.
  const forwarded = Object.entries(environment).filter(([name]) => /^(?:LLM|EMBEDDINGS)(?:_|$)/.test(name));
  const settings: Record<string, string> = { EMBEDDINGS: 'on', ...Object.fromEntries(forwarded) };
  const model = readConfig(settings).llm;
  const proxy = model || values.sent ? await openModelProxy(model?.baseUrl) : undefined;
  const standIn = { LLM_API_KEY: 'none', LLM_MODEL: 'first-passage' };
  const env = proxy ? { ...standIn, ...settings, LLM_BASE_URL: proxy.baseUrl } : settings;
  const engine = readConfig(env).llm?.model ?? 'extractive';
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  const { half, only: category, corpus } = values;
  const corpora = CORPORA.filter((name) => (corpus ?? name) === name);
  const scores = await runConversations({
    ...{ env, half, category, corpora, every, proxy },
    onTurn: ({ locale, turn, outcome }) =>
      process.stderr.write(`${outcome.padEnd(8)} ${locale} ${turn.asks}\n`),
  });
  const isWhole = category === undefined && corpus === undefined && every === 1;
  const answered = isWhole ? await runLanguageMessages(half, env) : [];
  proxy?.close();
  process.stdout.write(`\n${scores.length} turns, ${half ?? 'both halves'}, ${engine}, commit ${commit}\n\n`);
  process.stdout.write(`${formatReport(scores)}\n`);
  if (isWhole) process.stdout.write(`\n${formatAnswerLanguages(answered)}\n`);
  if (values.failures) process.stdout.write(`\n${formatFailures(scores)}\n`);
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ commit, engine, scores }, null, 2)}\n`);
}
