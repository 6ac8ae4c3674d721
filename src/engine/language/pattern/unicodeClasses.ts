/** Gives the RE2 library the characters of the Unicode classes that it would else look for one by one: up to 280 ms for each name. */

import { dirname, join } from 'node:path'
import { unicodeRanges } from './unicodeRanges.ts'

/** Ranges as the library holds them: first, last, and step of each, side by side. */
interface RangeTable {
  readonly data: Uint32Array
}

interface Tables {
  readonly has: (name: string) => boolean
  get: (name: string) => RangeTable | null
}

/** What is used of the library's tables; only it can make one, and it has some made. */
interface LibraryTables {
  readonly CATEGORIES: Tables
  readonly SCRIPTS: Tables
  readonly FOLD_CATEGORIES: Tables
  readonly FOLD_SCRIPT: Tables
}

type MakeTable = new (data: Uint32Array) => RangeTable

/** A script of which the library has the characters at hand. */
const scriptAtHand = 'Garay'

/**
 * Has the library that `require` answers look its classes up in `unicodeRanges`. Throws when it does not hold them as the version that is
 * installed does.
 */
export function useKeptClasses(require: NodeJS.Require): void {
  const tables = libraryTables(require)
  const made = tables.SCRIPTS.get(scriptAtHand)
  if (!made) throw new Error('the RE2 library holds its classes in another way')
  const kept = { make: made.constructor as MakeTable, tables: new Map<string, RangeTable | null>() }
  keep(tables.CATEGORIES, 0, kept)
  keep(tables.SCRIPTS, 0, kept)
  keep(tables.FOLD_CATEGORIES, 1, kept)
  keep(tables.FOLD_SCRIPT, 1, kept)
}

function libraryTables(require: NodeJS.Require): LibraryTables {
  const path = join(dirname(require.resolve('@bufbuild/re2')), 'UnicodeTables.js')
  return (require(path) as { readonly UnicodeTables: LibraryTables }).UnicodeTables
}

interface Kept {
  readonly make: MakeTable
  /** Those that were asked for. */
  readonly tables: Map<string, RangeTable | null>
}

function keep(of: Tables, which: 0 | 1, { make, tables }: Kept): void {
  const other = of.get.bind(of)
  of.get = (name) => {
    const key = `${name} ${which}`
    const known = tables.get(key)
    if (known !== undefined) return known
    const kept = Object.hasOwn(unicodeRanges, name) ? unicodeRanges[name] : undefined
    // scripts that the library itself has at hand
    if (kept === undefined) return other(name)
    const ranges = kept.split('|')[which]
    const table = ranges === undefined ? null : new make(rangesOf(ranges))
    tables.set(key, table)
    return table
  }
}

function rangesOf(text: string): Uint32Array {
  let last = 0
  const ranges = text.split(' ').flatMap((range) => {
    const [behind = '', more = '0'] = range.split('+')
    const first = last + Number.parseInt(behind, 36)
    last = first + Number.parseInt(more, 36)
    return [first, last, 1]
  })
  return Uint32Array.from(ranges)
}
