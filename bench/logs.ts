/** Data folders with many evaluations, written once for all benchmarks of a run that read them. */

import type { Size } from './benchmark.ts'
import { startHelper, temporaryFolder } from './childProcess.ts'
import type { LogOrder } from './writeLog.ts'

const written = new Map<number, string>()
const removals: (() => void)[] = []

/** A data folder with so many evaluations, as the service left it when it closed. */
export async function folderWith(evaluations: number): Promise<string> {
  const known = written.get(evaluations)
  if (known !== undefined) return known
  const folder = temporaryFolder()
  removals.push(folder.remove)
  const writer = startHelper('./writeLog.ts')
  try {
    await writer.ask<boolean>({ folder: folder.path, evaluations } satisfies LogOrder)
  } finally {
    await writer.stop()
  }
  written.set(evaluations, folder.path)
  return folder.path
}

/** Removes what was written. */
export function removeLogs(): void {
  for (const remove of removals.splice(0)) remove()
  written.clear()
}

/** How many evaluations stand for many and for few. */
export function logSizes(size: Size): { readonly many: number; readonly few: number } {
  return {
    full: { many: 1_000_000, few: 100_000 },
    quick: { many: 20_000, few: 3_000 },
    smallest: { many: 600, few: 200 },
  }[size]
}
