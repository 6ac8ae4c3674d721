/** What a process keeps in memory beyond a request stands in `docs/decisions/caches.md`, by its file. */

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const page = readFileSync('docs/decisions/caches.md', 'utf8')
const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| what'))
const files = (readdirSync('src', { recursive: true }) as string[])
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `src/${file}`)

/** A cache of the library or of ours, and a collection or a value that begins empty. */
const cache = /\bnew LRUCache\b|\bopen(?:Weighed|Account|Stream)Cache\b[^()]*\(/
const empty = /= new (?:Map|Set|WeakMap|WeakSet)\b[^()]*\(\)/
/** Functions whose variables live as long as the service. */
const opens =
  /^(?:open|track|limit|allow|secret|cache|statements|start|answerRequests|newEvidenceSlots|reportDamage)/
/** The mechanisms themselves, and what lives as long as one call though its name says otherwise. */
const others = [
  'src/domain/load/weighedCache.ts',
  'src/events/recording/openSealedFields.ts',
  'src/queries/analysis/backtest/backtestRows.ts',
  'src/queries/analysis/statistics/sumCounts.ts',
]

/**
 * Whether a file makes something that outlives a request: a cache, or a collection at its top or at that of a function
 * that opens something.
 */
function keeps(file: string): boolean {
  let opener = ''
  return readFileSync(file, 'utf8')
    .split('\n')
    .some((line) => {
      const declared = /^(?:export )?(?:async )?function (\w+)/.exec(line)
      if (declared) {
        opener = declared[1] ?? ''
        return false
      }
      if (/^let \w+(?!.* = \d)/.test(line) || cache.test(line)) return true
      const isTop = /^(?:export )?const /.test(line) && !line.includes(': Readonly')
      const isOfOpener = /^ {2}(?:const|let) /.test(line) && opens.test(opener)
      return (isTop || isOfOpener) && empty.test(line)
    })
}

const keeping = files.filter((file) => !others.includes(file) && keeps(file))

test('the page names every file that keeps something, and no other', () => {
  const named = rows.flatMap((row) =>
    [...row.matchAll(/`(src\/[\w/.]+)`/g)].map(([, file]) => file),
  )

  expect(keeping.length).toBeGreaterThan(20)
  expect([...new Set(named)].sort()).toEqual([...keeping].sort())
})

test('every row says bound, keys, correctness and erasure', () => {
  const cells = rows.map((row) => row.split(/(?<!\\)\|/).slice(1, -1))

  expect(cells.filter((row) => row.length !== 6 || row.some((cell) => cell.trim() === ''))).toEqual(
    [],
  )
})
