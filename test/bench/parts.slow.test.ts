import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'

const bench = (...words: readonly string[]) =>
  spawnSync('node', ['--import', 'tsx', 'bench/main.ts', ...words], { encoding: 'utf8' })

/** The parts that there are; of one with pieces, which are alike, the first piece. */
const parts = [...bench('--help').stdout.matchAll(/^ {2}(\w+)(?:\n {4}(\S+))?/gm)].map(
  ([, part = '', piece]) => piece ?? part,
)

describe('the bench', () => {
  test('has parts', () => expect(parts.length).toBeGreaterThan(15))

  test.each(parts)('measures %s, at its smallest size', (part) => {
    const { status, stdout, stderr } = bench('--smallest', '--only', part)

    expect(status, stderr).toBe(0)
    expect(stdout).toMatch(/^(?:holds|MISSES|NOT MEASURED)/m)
  })
})
