import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const testFiles = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file}`)
  .filter((file) => file.endsWith('.test.ts'))
const slow = testFiles.filter((file) => file.endsWith('.slow.test.ts'))
const quick = testFiles.filter((file) => !slow.includes(file))

/** Puts logs in memory in the place of EventStoreDB. */
const logsInMemory = {
  name: 'logs in memory',
  enforce: 'pre' as const,
  resolveId: (source: string) =>
    source.endsWith('/eventstoredb/openEventStoreDb.ts')
      ? fileURLToPath(new URL('test/support/memoryLogs.ts', import.meta.url))
      : undefined,
}

/** What replaces a module would do so for every file after it in the same process. */
const replacing = filesWith(quick, /\bvi\.(do)?mock\(/)
const shared = quick.filter((file) => !replacing.includes(file))
const properties = filesWith(shared, /'fast-check'/)
const allDraws = { TEST_DRAWS: 'all' }
/** Without what is of the folder's log alone: the positions in the examples of the description, and the files that an evaluation enters. */
const ofFolder = /^test\/journeys\/(?:interfaceExamples|warmEvaluationFiles)\./
const journeys = shared.filter((file) => file.startsWith('test/journeys/') && !ofFolder.test(file))

const everyProject = {
  setupFiles: ['test/support/drawSamples.ts', 'test/support/refuseEmptyTables.ts'],
  // no test passes by a loop over nothing
  expect: { requireAssertions: true },
  testTimeout: 300_000,
  hookTimeout: 300_000,
}

/**
 * `npm test` runs `shared` and `replacing`; `npm run test:full` runs what those leave out: `slow`, with all their draws the properties, and
 * the journeys once more with their logs on a fake EventStoreDB and in memory. A slow test is one whose file ends in `.slow.test.ts`.
 */
export default defineConfig({
  test: {
    // both cores of a small machine: on its own vitest leaves one to the process that waits
    maxWorkers: '100%',
    projects: [
      { test: { ...everyProject, name: 'shared', include: shared, isolate: false } },
      { test: { ...everyProject, name: 'replacing', include: replacing, env: allDraws } },
      { test: { ...everyProject, name: 'slow', include: slow, env: allDraws } },
      {
        test: {
          ...everyProject,
          name: 'draws',
          include: properties,
          isolate: false,
          env: allDraws,
        },
      },
      {
        test: {
          ...everyProject,
          name: 'fake-log',
          include: journeys,
          isolate: false,
          env: { TEST_LOG: 'fake' },
        },
      },
      {
        plugins: [logsInMemory],
        test: {
          ...everyProject,
          name: 'memory-log',
          include: journeys,
          isolate: false,
          env: { TEST_LOG: 'memory' },
        },
      },
    ],
  },
})

function filesWith(files: readonly string[], what: RegExp): string[] {
  return files.filter((file) => what.test(readFileSync(file, 'utf8')))
}
