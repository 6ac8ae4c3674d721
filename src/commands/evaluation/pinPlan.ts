/** A plan taken apart into what is recorded once under its digest: expressions, parts of recipes, the plan. */

import { pause } from '../../domain/longWork.ts'
import type { Expression } from '../../engine/language/expression.ts'
import type { Plan, PlannedRecipe, PlannedRule } from '../../engine/run/plan.ts'
import type {
  PinnedPart,
  PinnedPlan,
  PinnedRecipe,
  PinnedRule,
} from '../../events/evaluation/evaluation.ts'
import {
  expressionDigest,
  partRules,
  pinnedPlanDigest,
  rulesDigest,
} from '../../events/evaluation/pinnedPlan.ts'

export interface Pinned {
  readonly digest: string
  readonly plan: PinnedPlan
  /** By their digests, each once. */
  readonly parts: ReadonlyMap<string, readonly PinnedRule[]>
  readonly expressions: ReadonlyMap<string, Expression>
}

/** Digests of expressions that are known from before. */
export interface KnownDigests {
  readonly get: (rule: PlannedRule) => string | undefined
  readonly set: (rule: PlannedRule, digest: string) => void
}

const noneKnown: KnownDigests = { get: () => undefined, set: () => undefined }

interface Pinning {
  readonly account: string
  readonly known: KnownDigests
  readonly parts: Map<string, readonly PinnedRule[]>
  readonly expressions: Map<string, Expression>
}

/** The account's plan in its parts: long work. */
export async function pinPlan(
  account: string,
  { recipes, ...flow }: Plan,
  known: KnownDigests = noneKnown,
): Promise<Pinned> {
  const parts = new Map<string, readonly PinnedRule[]>()
  const expressions = new Map<string, Expression>()
  const pinning = { account, known, parts, expressions }
  const pinned: PinnedRecipe[] = []
  for (const recipe of recipes) pinned.push(await pinRecipe(recipe, pinning))
  const plan = { ...flow, recipes: pinned }
  return { digest: pinnedPlanDigest(account, plan), plan, parts, expressions }
}

async function pinRecipe(
  { rules, ...recipe }: PlannedRecipe,
  pinning: Pinning,
): Promise<PinnedRecipe> {
  const parts: PinnedPart[] = []
  for (let first = 0; first < rules.length; first += partRules) {
    const part: PinnedRule[] = []
    for (const rule of rules.slice(first, first + partRules)) {
      part.push(pinRule(rule, pinning))
      await pause()
    }
    const digest = rulesDigest(pinning.account, part)
    pinning.parts.set(digest, part)
    parts.push([digest, part.length])
  }
  return { ...recipe, parts }
}

function pinRule(rule: PlannedRule, { account, known, expressions }: Pinning): PinnedRule {
  const { expression, ...place } = rule
  if (!expression) return place
  const digest = known.get(rule) ?? expressionDigest(account, expression)
  known.set(rule, digest)
  expressions.set(digest, expression)
  return { ...place, expression: digest }
}
