/** Random changes of a small rulebook: what three rules, recipes and flows can go through. */

import fc from 'fast-check'
import { publishFlow, restoreFlow, retireFlow } from '../../../src/commands/rulebook/flows.ts'
import {
  publishRecipe,
  restoreRecipe,
  retireRecipe,
} from '../../../src/commands/rulebook/recipes.ts'
import { publishRule, restoreRule, retireRule } from '../../../src/commands/rulebook/rules.ts'
import { Failure } from '../../../src/domain/failure.ts'
import type { Expression } from '../../../src/engine/language/expression.ts'
import { emptyManagedRulebook } from '../../../src/events/rulebook/managedRulebook.ts'
import type { RulebookEvent, RulebookState } from '../../../src/events/rulebook/rulebook.ts'

export type Decide = (state: RulebookState) => readonly RulebookEvent[]
type Kind = 'rules' | 'recipes' | 'flows'

export interface Step {
  readonly kind: Kind
  readonly what: 'publish' | 'restore' | 'retire'
  /** Which of its kind. */
  readonly at: number
  /** Which version is restored, or what is published. */
  readonly of: number
}

const managed = emptyManagedRulebook()
const expression: Expression = { kind: 'literal', type: 'bool', value: true, at: [1, 1] }
/** One of them. */
export const step = fc.record<Step>({
  kind: fc.constantFrom('rules', 'recipes', 'flows'),
  what: fc.constantFrom('publish', 'publish', 'restore', 'retire'),
  at: fc.nat(2),
  of: fc.nat(6),
})

/** The ids among three that the number names. */
const chosen = (kind: Kind, of: number) =>
  [0, 1, 2].filter((at) => of & (1 << at)).map((at) => `${kind}_${at}`)

const recipeOf = (of: number) => ({
  name: `${of}`,
  threshold: of,
  rules: chosen('rules', of).map((rule_id) => ({ rule_id, weight: 1 })),
})

const flowOf = (of: number) => ({ name: `${of}`, recipes: chosen('recipes', of) })

interface Ids {
  readonly id: string
  readonly versionId: string
  /** The version to restore: the current one, or one that is in the log alone. */
  readonly earlier: string
  readonly mode: 'create' | 'replace'
}

const decisions: Readonly<
  Record<Kind, Readonly<Record<Step['what'], (ids: Ids, of: number) => Decide>>>
> = {
  rules: {
    publish: ({ earlier: _, ...ids }, of) =>
      publishRule({ ...ids, name: `${of}`, text: `${of}`, expression }),
    restore: ({ id, earlier }, of) =>
      restoreRule(id, { version_id: earlier, name: `${of}`, text: `${of}`, expression }),
    retire: ({ id }) => retireRule(id),
  },
  recipes: {
    publish: ({ earlier: _, ...ids }, of) =>
      publishRecipe({ ...ids, ...recipeOf(of), status: 'LIVE' }, managed),
    restore: ({ id, earlier }, of) =>
      restoreRecipe(id, { version_id: earlier, ...recipeOf(of) }, { managed }),
    retire: ({ id }) => retireRecipe(id),
  },
  flows: {
    publish: ({ earlier: _, ...ids }, of) => publishFlow({ ...ids, ...flowOf(of) }),
    restore: ({ id, earlier }, of) => restoreFlow(id, { version_id: earlier, ...flowOf(of) }),
    retire: ({ id }) => retireFlow(id),
  },
}

/** The decision that the step asks for; `count` tells versions apart. */
export function decisionOf(
  { kind, what, at, of }: Step,
  state: RulebookState,
  count: number,
): Decide {
  const id = `${kind}_${at}`
  const current = state[kind].get(id)?.current
  const mode = current ? 'replace' : 'create'
  const ids = {
    id,
    versionId: `ver_${count}`,
    mode,
    earlier: of === 0 && current ? current.version_id : `ver_of_${of}`,
  } as const
  return decisions[kind][what](ids, of)
}

/** What is decided; nothing when it is refused. */
export function eventsOf(
  decide: Decide,
  state: RulebookState,
  onRefused: () => void = () => undefined,
): readonly RulebookEvent[] {
  try {
    return decide(state)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    onRefused()
    return []
  }
}
