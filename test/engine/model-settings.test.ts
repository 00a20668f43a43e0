import { expect, it } from 'vitest';
import { readConfig } from '../../server/settings/config.ts';

const read = (more: Readonly<Record<string, string>>) =>
  readConfig({ LLM_API_KEY: 'none', LLM_MODEL: 'a-model', LLM_BASE_URL: 'http://model/v1', ...more }).llm;

it.each([
  'https://api.example.com/v1',
  'http://localhost:11434/v1',
  'http://127.0.0.1:8080/v1',
  'http://[::1]:8080/v1',
  'http://192.168.1.20:11434/v1',
  'http://10.1.2.3/v1',
  'http://172.31.0.1/v1',
  'http://[fd00::1]:8000/v1',
  'http://gpu.local:1234/v1',
  'http://host.docker.internal:11434/v1',
  'http://vllm.default.svc:8000/v1',
  'http://vllm.default.svc.cluster.local:8000/v1',
])('accepts a model at %s', (address) => {
  expect(read({ LLM_BASE_URL: address })?.baseUrl).toBe(address);
});

it.each([
  'http://api.example.com/v1',
  'http://8.8.8.8/v1',
  'http://172.32.0.1/v1',
  'http://local.example.com/v1',
  'http://user:word@10.1.2.3/v1',
  'https://api.example.com/v1?key=1',
])('refuses a model at %s', (address) => {
  expect(() => read({ LLM_BASE_URL: address })).toThrow(/private network/);
});

it('reads additional request fields, and rejects a value that is not a JSON object', () => {
  const fields = '{"reasoning_effort":"low"}';
  expect(read({ LLM_EXTRA_BODY: fields })?.extraBody).toEqual({ reasoning_effort: 'low' });
  for (const text of ['[]', '"low"', 'null', '{'])
    expect(() => read({ LLM_EXTRA_BODY: text })).toThrow(/must be a JSON object/);
});
