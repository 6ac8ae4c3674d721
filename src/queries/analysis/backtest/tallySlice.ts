/** Scans what evaluations count in, the newest first, for those who count them later. */

import type { TalliedEvaluation } from '../../../state/evaluation/listTallies.ts'
import type { TallySlicer } from '../../../state/evaluation/warmUpStreamType.ts'
import type { SliceScanner } from '../scan/scanSlice.ts'

export function createTallySlicer(scanSlice: SliceScanner): TallySlicer {
  return async ({ series, after, ...range }, signal) => {
    const fold = { kind: 'tallies', series } as const
    // few, as what they count in, in sixteen series, is folded at once
    const order = { order: 'newest', where: [], labelClasses: [], matchedMax: 200 } as const
    const slice = await scanSlice({ ...range, ...order, fold, ...(after && { after }) }, signal)
    const { folded, reachedMs, after: next } = slice
    return {
      evaluations: folded as readonly TalliedEvaluation[],
      reachedMs,
      // they are in the order of their times
      ...(next && { after: { id: next.id, values: next.values.map(Number) } }),
    }
  }
}
