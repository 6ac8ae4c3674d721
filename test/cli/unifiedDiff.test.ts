import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unifiedDiff } from '../../src/cli/rulebook/folderCommands.ts'
import { draws } from '../support/draws.ts'

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 })
  .map((lines) => lines.map((line) => `${line}\n`).join(''))

/** What `patch` does: copies the lines between the hunks, and checks those within. */
function patched(before: string, diff: readonly string[]): string {
  const source = before.split('\n').slice(0, -1)
  const out: string[] = []
  let at = 0
  for (const line of diff) {
    const hunk = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(line)
    if (hunk) {
      const start = startOf(hunk[1], hunk[2])
      out.push(...source.slice(at, start))
      at = start
      expect(out.length).toBe(startOf(hunk[3], hunk[4]))
    } else if (line.startsWith('+')) {
      out.push(line.slice(1))
    } else {
      expect(source[at]).toBe(line.slice(1))
      out.push(...(line.startsWith(' ') ? [line.slice(1)] : []))
      at += 1
    }
  }
  return [...out, ...source.slice(at)].map((line) => `${line}\n`).join('')
}

/** An empty range names the line before it. */
function startOf(line: string | undefined, count: string | undefined): number {
  return Number(line) - (count === '0' ? 0 : 1)
}

test('applied to the first text it gives the second', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(patched(before, unifiedDiff(before, after))).toBe(after)
    }),
    { numRuns: draws(1_000) },
  )
})

test('shows what changed with three lines around it', () => {
  const before = '1\n2\n3\n4\n5\n6\n7\n8\n9\n'

  expect(unifiedDiff(before, before.replace('5\n', 'five\n'))).toEqual([
    '@@ -2,7 +2,7 @@',
    ...[' 2', ' 3', ' 4', '-5', '+five', ' 6', ' 7', ' 8'],
  ])
})

test('texts too long to compare are replaced as a whole', () => {
  const lines = (word: string): string => `${word}\n`.repeat(3_000)

  const diff = unifiedDiff(`same\n${lines('a')}`, `same\n${lines('b')}`)

  expect(diff.slice(0, 3)).toEqual(['@@ -1,3001 +1,3001 @@', '-same', '-a'])
  expect(diff).toHaveLength(6_003)
})
