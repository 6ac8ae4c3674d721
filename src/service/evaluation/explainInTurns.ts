/** Explains one rule at a time. */

import type { ExplainedRecipe, ExplainingPlan } from '../../engine/explain/explain.ts'

/** What the explanation comes to; `computed` does each piece when its turn has come, and others have theirs in between. */
export async function explainInTurns(
  explaining: ExplainingPlan,
  computed: (
    piece: () => ReturnType<ExplainingPlan['next']>,
  ) => Promise<ReturnType<ExplainingPlan['next']>>,
): Promise<readonly ExplainedRecipe[]> {
  for (;;) {
    const step = await computed(() => explaining.next())
    if (step.done) return step.value
  }
}
