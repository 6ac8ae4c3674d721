import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/servers/**/*.servers.ts'],
    globalSetup: ['test/servers/reachServers.ts'],
    setupFiles: ['test/support/drawSamples.ts', 'test/support/refuseEmptyTables.ts'],
    expect: { requireAssertions: true },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
})
