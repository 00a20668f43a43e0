import { defineConfig } from 'orval';

export default defineConfig({
  guidepost: {
    input: process.env.DOCUMENT!,
    output: { target: './generated/client.ts', client: 'react-query', httpClient: 'fetch' },
  },
});
