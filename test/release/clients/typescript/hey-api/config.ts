import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: process.env.DOCUMENT!,
  output: 'hey-api/generated',
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', 'zod', { name: '@hey-api/sdk', validator: true }],
  logs: { file: false },
});
