/** Keeps the figures where readers and programs find them. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Figure, RecordedFigure } from './figure.ts'
import type { Machine } from './machine.ts'
import { markdownTable, withTable } from './table.ts'

const folder = new URL('./results/', import.meta.url)
const page = new URL('../docs/performance.md', import.meta.url)

/** Writes `bench/results/latest.json` and the table of `docs/performance.md`. */
export function keepResults(
  figures: readonly Figure[],
  run: { readonly quick: boolean; readonly machine: Machine },
): void {
  const recorded: RecordedFigure[] = figures.map((figure) => ({ ...figure, ...run }))
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL('latest.json', folder), `${JSON.stringify(recorded, null, 2)}\n`)
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), markdownTable(recorded)))
}
