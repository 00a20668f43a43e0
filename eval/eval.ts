import { parseArgs } from 'node:util';
import { environment, readConfig } from '../server/config.ts';
import { runConversations } from './run.ts';
import { formatTable } from './scoring.ts';

/** Runs the conversations with the model of the LLM_* settings, or with the extractive engine. */

const help = `Runs conversations against the service and scores every turn. The table goes to stdout, progress to stderr.

  node eval/eval.ts [--texts]

  --texts   also prints the answers
  --help    shows this help

Uses the model of LLM_BASE_URL, LLM_API_KEY and LLM_MODEL; without them, the extractive engine.
`;

const { values } = parseArgs({ options: { texts: { type: 'boolean' }, help: { type: 'boolean' } } });
if (values.help) process.stdout.write(help);
else {
  const llm = Object.entries(environment).filter(([name]) => name.startsWith('LLM_'));
  const env = Object.fromEntries(llm) as Record<string, string>;
  const name = readConfig(env).llm?.model ?? 'quotes only';
  const scores = await runConversations(env, ({ locale, asks }) =>
    process.stderr.write(`${locale} ${asks}\n`),
  );
  process.stdout.write(`\n${name}\n\n${formatTable(scores)}\n`);
  if (values.texts) for (const { asks, text } of scores) process.stdout.write(`\n## ${asks}\n${text}\n`);
}
