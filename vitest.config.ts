import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const testFiles = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file}`)
  .filter((file) => file.endsWith('.test.ts'))
const slow = testFiles.filter((file) => file.endsWith('.slow.test.ts'))
const quick = testFiles.filter((file) => !slow.includes(file))

/** What replaces a module would do so for every file after it in the same process. */
const replacing = filesWith(quick, /\bvi\.(do)?mock\(/)
const shared = quick.filter((file) => !replacing.includes(file))
const properties = filesWith(shared, /'fast-check'/)
const allDraws = { TEST_DRAWS: 'all' }

const everyProject = {
  setupFiles: ['test/support/drawSamples.ts'],
  testTimeout: 300_000,
  hookTimeout: 300_000,
}

/**
 * `npm test` runs `shared` and `replacing`; `npm run test:full` runs what those leave out: `slow` and, with all their draws, the properties. A slow test
 * is one whose file ends in `.slow.test.ts`.
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
    ],
  },
})

function filesWith(files: readonly string[], what: RegExp): string[] {
  return files.filter((file) => what.test(readFileSync(file, 'utf8')))
}
