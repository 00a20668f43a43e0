import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

export default defineConfig({
  root: import.meta.dirname,
  input: { path: process.env.DOCUMENT! },
  output: { path: './generated', clean: true, extension: { '.ts': '.ts' } },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs(),
    pluginClient({ client: 'fetch', dataReturnType: 'full' }),
  ],
});
