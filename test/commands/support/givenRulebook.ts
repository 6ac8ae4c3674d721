/** Rulebooks as decisions make them, one after the other. */

import { Failure } from '../../../src/domain/failure.ts'
import { createManagedRulebook } from '../../../src/events/rulebook/managedRulebook.ts'
import {
  createRulebook,
  evolveRulebook,
  type RulebookEvent,
  type RulebookState,
} from '../../../src/events/rulebook/rulebook.ts'
import { flowDefinition } from '../../../src/state/rulebook/flows.ts'
import { decideRecipePublication } from '../../../src/state/rulebook/recipes.ts'
import { decidePublication } from '../../../src/state/rulebook/resourceDecisions.ts'

type Decide = (state: RulebookState) => readonly RulebookEvent[]

/** The rulebook after these decisions. */
export function given(...decisions: readonly Decide[]): RulebookState {
  return decisions.reduce<RulebookState>(
    (state, decide) => decide(state).reduce(evolveRulebook, state),
    createRulebook(),
  )
}

/** A new recipe of rules of weight 1. */
export const recipe =
  (id: string, rules: readonly string[], status: 'LIVE' | 'DRAFT' = 'LIVE'): Decide =>
  (own) =>
    decideRecipePublication(
      { own, managed: createManagedRulebook() },
      {
        ...{ id, versionId: `ver_${id}`, name: id, threshold: 50, status, mode: 'create' },
        rules: rules.map((rule_id) => ({ rule_id, weight: 1 })),
      },
    )

export const flow =
  (recipes: readonly string[], id = 'flo'): Decide =>
  (state) =>
    decidePublication(flowDefinition, state, {
      id,
      versionId: `ver_${id}`,
      name: id,
      recipes,
      mode: 'create',
    })

/** What the details of a refusal say, each with its path; none where nothing is refused. */
export function refusal(act: () => unknown): readonly (readonly [string, string])[] {
  try {
    act()
  } catch (error) {
    if (error instanceof Failure) {
      return (error.details ?? []).map(({ path, message }) => [path, message])
    }
    throw error
  }
  return []
}
