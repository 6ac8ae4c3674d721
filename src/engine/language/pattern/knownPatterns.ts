/** Patterns that are compiled already: one text is compiled once for all rules, plans and accounts of the process. */

import { LRUCache } from 'lru-cache'
import type { Pattern } from './compilePattern.ts'

/** Bytes of patterns that are kept though nothing that runs has them. */
const keptBytesMax = 16 * 1024 * 1024

/** What was used last, so that what is compiled to be checked is there when it is to run. */
const kept = new LRUCache<string, Pattern>({
  maxSize: keptBytesMax,
  sizeCalculation: ({ bytes }) => Math.max(1, Math.ceil(bytes)),
})
/** Whatever any compiled plan still has, so that one who tries many patterns pushes out nobody's. */
const inUse = new Map<string, WeakRef<Pattern>>()
const dropped = new FinalizationRegistry((text: string) => {
  if (inUse.get(text)?.deref() === undefined) inUse.delete(text)
})

/** The pattern of this text; made by `make`, which may answer what is wrong with it instead, where it is not known. */
export function knownPattern(
  text: string,
  make: (text: string) => Pattern | string,
): Pattern | string {
  const known = kept.get(text) ?? inUse.get(text)?.deref()
  const pattern = known ?? make(text)
  if (typeof pattern === 'string') return pattern
  kept.set(text, pattern)
  if (!known) {
    inUse.set(text, new WeakRef(pattern))
    dropped.register(pattern, text)
  }
  return pattern
}
