import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: {
    alias: {
      '@insight-host/api': fileURLToPath(new URL('./frontend/packages/api/src', import.meta.url)),
      '@insight-host/kit': fileURLToPath(new URL('./frontend/packages/kit/src', import.meta.url)),
    },
  },
  test: {
    environment: 'happy-dom',
    css: { include: [/tokens\.css/] }, // others are empty in tests
    isolate: false,
    setupFiles: ['frontend/vitest.setup.ts'],
    unstubGlobals: true,
    restoreMocks: true,
    include: [
      'frontend/**/*.test.{ts,tsx}',
      'plugins/*/frontend/**/*.test.{ts,tsx}',
      'plugins/*/tests/**/*.test.{ts,tsx}',
    ],
  },
});
