/** Explains one rule at a time. */

import { newPace, pieceUnits } from '../../domain/pace.ts'
import type { ExplainedRecipe, ExplainingPlan } from '../../engine/explain/explain.ts'

/**
 * What the explanation comes to; `computed` does each piece when its turn has come, and others have theirs in between. Of several only one
 * goes on in a turn of the event loop.
 */
export async function explainInTurns(
  explaining: ExplainingPlan,
  computed: (
    piece: () => ReturnType<ExplainingPlan['next']>,
  ) => Promise<ReturnType<ExplainingPlan['next']>>,
): Promise<readonly ExplainedRecipe[]> {
  for (;;) {
    const step = await computed(() => explaining.next())
    if (!step.done) continue
    // many that are made side by side end side by side, and each is long to be written
    await newPace().done(pieceUnits)
    return step.value
  }
}
