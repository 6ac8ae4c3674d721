import { defineConfig } from 'vitest/config'

/** What analysts ask, each figure compared with plain counting of the log. */
const analystJourneys = [
  'backtests',
  'exports',
  'fragileViews',
  'labelledEvaluations',
  'listedByWhere',
  'onPast',
  'rulesReport',
  'scanModel',
  'statistics',
  'topValues',
  'versionVerdicts',
].map((name) => `test/journeys/${name}.test.ts`)

const everyProject = {
  setupFiles: ['test/support/drawSamples.ts', 'test/support/refuseEmptyTables.ts'],
  expect: { requireAssertions: true },
  testTimeout: 300_000,
  hookTimeout: 300_000,
}

/** The stores and services asked of servers; with a MongoDB, too, what analysts ask of read models that it keeps. */
export default defineConfig({
  test: {
    globalSetup: ['test/servers/reachServers.ts'],
    fileParallelism: false,
    projects: [
      {
        test: { ...everyProject, name: 'servers', include: ['test/servers/**/*.servers.ts'] },
      },
      ...(process.env['MONGODB_URL']
        ? [
            {
              test: {
                ...everyProject,
                name: 'mongodb-documents',
                include: analystJourneys,
                env: { TEST_LOG: 'servers' },
              },
            },
          ]
        : []),
    ],
  },
})
