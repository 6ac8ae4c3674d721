/** The compiled plans of the flows in use: made when a flow is first evaluated, made anew when what it is made of changes. */

import { lru } from '../../domain/lru.ts'
import { newPace } from '../../domain/pace.ts'
import type { CompiledPlan } from '../../engine/compile/compilePlan.ts'
import { engineOf } from '../../engine/engineOf.ts'
import { semanticsVersion } from '../../engine/language/semantics.ts'
import type { Plan, PlannedRule } from '../../engine/run/plan.ts'
import { openTurns } from '../handling/turns.ts'
import type { Rulebooks } from '../rulebook/rulebooks.ts'
import { type OutlinedRule, readOutline } from './outline.ts'
import { type KnownDigests, type Pinned, pinPlan } from './pinPlan.ts'
import { outlineFlow, planFingerprint } from './planFlow.ts'

/** Flows whose compiled plan stays in memory. */
const compiledMax = 2_000

/** Versions of rules whose expression's digest stays in memory: some two hundred bytes each. */
const digestsMax = 20_000

/** Units of a pace for a rule that is compiled, of which the largest takes a few milliseconds. */
const compiledUnits = 8 * 1024

/** A plan ready to run and on record. */
export interface ReadyPlan {
  readonly digest: string
  readonly plan: Plan
  readonly compiled: CompiledPlan
  readonly reads: ReadonlySet<string>
}

interface Slot {
  /** Of the account's rulebook and of the managed one, when the slot was last known to be right. */
  generation: number
  managedGeneration: number
  readonly fingerprint: string
  /** Settles when the plan is compiled and on record. */
  readonly making: Promise<ReadyPlan>
  ready?: ReadyPlan
}

export interface Plans {
  /** The flow's plan as the rulebooks stand; undefined when there is no such flow. Settles when the plan is on record. */
  readonly ready: (
    account: string,
    rulebooks: Rulebooks,
    flowId: string,
  ) => ReadyPlan | Promise<ReadyPlan> | undefined
}

/** Opens the plans; `record` writes a plan to the log and settles when it is durable, also when it was there before. */
export function openPlans(record: (account: string, plan: Pinned) => Promise<void>): Plans {
  const slots = lru<string, Slot>(compiledMax)
  const turns = openTurns()
  const knownOf = rememberDigests()

  const make = async (account: string, outline: Plan<OutlinedRule>): Promise<ReadyPlan> => {
    const plan = await readOutline(outline)
    const pinned = await pinPlan(account, plan, knownOf(account))
    const compiled = await compileInTurns(plan)
    await record(account, pinned)
    return { digest: pinned.digest, plan, compiled, reads: new Set(compiled.reads) }
  }

  const begin = (account: string, rulebooks: Rulebooks, flowId: string): Slot | undefined => {
    const outline = outlineFlow(rulebooks, flowId, semanticsVersion)
    const fingerprint = planFingerprint(rulebooks, flowId)
    if (!outline || fingerprint === undefined) return undefined
    // one at a time, so that whoever changes many large flows waits for themselves
    const making = turns.take(account, () => make(account, outline))
    return { ...generationsOf(rulebooks), fingerprint, making }
  }

  const current = (account: string, rulebooks: Rulebooks, flowId: string): Slot | undefined => {
    const key = `${account} ${flowId}`
    const slot = slots.get(key)
    if (slot && isOf(slot, rulebooks)) return slot
    if (slot && slot.fingerprint === planFingerprint(rulebooks, flowId)) {
      Object.assign(slot, generationsOf(rulebooks))
      return slot
    }
    slots.delete(key)
    const begun = begin(account, rulebooks, flowId)
    if (!begun) return undefined
    slots.set(key, begun)
    begun.making.then(
      (ready) => {
        begun.ready = ready
      },
      // a plan that could not be recorded is tried again by the next evaluation
      () => {
        if (slots.get(key) === begun) slots.delete(key)
      },
    )
    return begun
  }

  return {
    ready: (account, rulebooks, flowId) => {
      const slot = current(account, rulebooks, flowId)
      return slot?.ready ?? slot?.making
    },
  }
}

/** Compiles a plan, others having their turns in between. */
export async function compileInTurns(plan: Plan): Promise<CompiledPlan> {
  const pace = newPace()
  const compiling = engineOf(plan.semantics).compileByRule(plan)
  for (;;) {
    const step = compiling.next()
    if (step.done) return step.value
    await pace.done(compiledUnits)
  }
}

/** The digests of expressions of rules: that of a version of an account's own rule stays what it is. */
function rememberDigests(): (account: string) => KnownDigests {
  const digests = lru<string, string>(digestsMax)
  return (account) => ({
    get: (rule) => digests.get(keyOf(account, rule)),
    set: (rule, digest) => {
      if (rule.type === 'CUSTOM') digests.set(keyOf(account, rule), digest)
    },
  })
}

function keyOf(account: string, { type, rule_id, version_id }: PlannedRule): string {
  return `${account} ${type} ${rule_id} ${version_id}`
}

function isOf(slot: Slot, { own, managed }: Rulebooks): boolean {
  return slot.generation === own.generation && slot.managedGeneration === managed.generation
}

function generationsOf({ own, managed }: Rulebooks) {
  return { generation: own.generation, managedGeneration: managed.generation }
}
