import { parseArgs } from 'node:util';
import { environment, readConfig } from '../server/config.ts';
import { tableOf } from './judge.ts';
import { runConversations } from './run.ts';

/** Has the conversations with the model that LLM_BASE_URL, LLM_API_KEY and LLM_MODEL name, or with the engine that quotes. */

const help = `Has conversations with the service and judges every turn. The table goes to stdout, progress to stderr.

  node eval/eval.ts [--texts]

  --texts   prints what was answered as well
  --help    this

Asks the model of LLM_BASE_URL, LLM_API_KEY and LLM_MODEL; without them, the engine that quotes.
`;

const { values } = parseArgs({ options: { texts: { type: 'boolean' }, help: { type: 'boolean' } } });
if (values.help) process.stdout.write(help);
else {
  const llm = Object.entries(environment).filter(([name]) => name.startsWith('LLM_'));
  const env = Object.fromEntries(llm) as Record<string, string>;
  const name = readConfig(env).llm?.model ?? 'quotes only';
  const verdicts = await runConversations(env, ({ locale, asks }) =>
    process.stderr.write(`${locale} ${asks}\n`),
  );
  process.stdout.write(`\n${name}\n\n${tableOf(verdicts)}\n`);
  if (values.texts) for (const { asks, text } of verdicts) process.stdout.write(`\n## ${asks}\n${text}\n`);
}
