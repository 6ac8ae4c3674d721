/**
 * Keeps the figures where readers and programs find them, part by part, so that a run that is cut short keeps what it
 * had.
 */

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Figure, RecordedFigure } from './figure.ts'
import type { Machine } from './machine.ts'
import { mergeFigures } from './mergeFigures.ts'
import { markdownTable, withTable } from './table.ts'

/** The files that the figures are kept in. */
export interface Place {
  readonly results: string
  /** The page with the table. */
  readonly page: string
}

interface Run {
  readonly machine: Machine
  /** Every part, in the order of the table. */
  readonly parts: readonly string[]
}

/** Puts the figures of one part in the place of those it gave before; the figures of other parts stay. */
export type Keep = (part: string, figures: readonly Figure[]) => void

const kept: Place = {
  results: fileURLToPath(new URL('./results/latest.json', import.meta.url)),
  page: fileURLToPath(new URL('../docs/performance.md', import.meta.url)),
}

/**
 * Throws when the results cannot be read or the page has no place for the table: before anything is measured, not
 * after.
 */
export function openResults({ parts, ...run }: Run, place: Place = kept): Keep {
  readResults(place)
  withTable(readFileSync(place.page, 'utf8'), '')
  return (part, figures) => {
    const recorded = figures.map((figure): RecordedFigure => ({ ...figure, part, ...run }))
    const merged = mergeFigures(readResults(place), recorded, parts)
    writeWhole(place.results, `${JSON.stringify(merged, null, 2)}\n`)
    writeWhole(place.page, withTable(readFileSync(place.page, 'utf8'), markdownTable(merged)))
  }
}

function readResults({ results }: Place): readonly RecordedFigure[] {
  if (!existsSync(results)) return []
  const read: unknown = JSON.parse(readFileSync(results, 'utf8'))
  if (Array.isArray(read) && read.every(isRecorded)) return read
  throw new Error(`${results} holds no list of figures`)
}

function isRecorded(value: unknown): value is RecordedFigure {
  if (typeof value !== 'object' || value === null) return false
  const { name, machine } = value as Partial<RecordedFigure>
  return typeof name === 'string' && typeof machine === 'object' && machine !== null
}

/** A run may be cut at any moment, also while it writes. */
function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const beside = `${path}.${process.pid}.new`
  writeFileSync(beside, text)
  renameSync(beside, path)
}
