/** The compiled plans of the flows in use: made when a flow is first evaluated, made anew when what it is made of changes. */

import { lru } from '../domain/lru.ts'
import type { CompiledPlan } from '../engine/compilePlan.ts'
import { compilePlan } from '../engine/compilePlan.ts'
import type { Plan } from '../engine/plan.ts'
import { semanticsVersion } from '../engine/semantics.ts'
import { planDigest } from '../events/planRecord.ts'
import type { RulebookState } from '../events/rulebook.ts'
import { planFingerprint, planFlow } from './planFlow.ts'

/** Flows whose compiled plan stays in memory. */
const compiledMax = 2_000

/** A plan ready to run and on record. */
export interface ReadyPlan {
  readonly digest: string
  readonly plan: Plan
  readonly compiled: CompiledPlan
  readonly reads: ReadonlySet<string>
}

interface Slot {
  generation: number
  readonly fingerprint: string
  readonly ready: ReadyPlan
  readonly recorded: Promise<void>
}

export interface Plans {
  /** The flow's plan as the rulebook stands; undefined when there is no such flow. Settles when the plan is on record. */
  readonly ready: (
    account: string,
    rulebook: RulebookState,
    flowId: string,
  ) => ReadyPlan | Promise<ReadyPlan> | undefined
}

/** Opens the plans; `record` writes a plan to the log and settles when it is durable, also when it was there before. */
export function openPlans(
  record: (account: string, digest: string, plan: Plan) => Promise<void>,
): Plans {
  const slots = lru<string, Slot>(compiledMax)
  const onRecord = new WeakSet<ReadyPlan>()

  const make = (account: string, rulebook: RulebookState, flowId: string): Slot | undefined => {
    const plan = planFlow(rulebook, flowId, semanticsVersion)
    const fingerprint = planFingerprint(rulebook, flowId)
    if (!plan || fingerprint === undefined) return undefined
    const compiled = compilePlan(plan)
    const digest = planDigest(account, plan)
    const ready = { digest, plan, compiled, reads: new Set(compiled.reads) }
    const recorded = record(account, digest, plan).then(() => {
      onRecord.add(ready)
    })
    return { generation: rulebook.generation, fingerprint, ready, recorded }
  }

  const current = (account: string, rulebook: RulebookState, flowId: string): Slot | undefined => {
    const key = `${account} ${flowId}`
    const slot = slots.get(key)
    if (slot?.generation === rulebook.generation) return slot
    if (slot && slot.fingerprint === planFingerprint(rulebook, flowId)) {
      slot.generation = rulebook.generation
      return slot
    }
    slots.delete(key)
    const made = make(account, rulebook, flowId)
    if (!made) return undefined
    slots.set(key, made)
    // A plan that could not be recorded is tried again by the next evaluation.
    made.recorded.catch(() => slots.delete(key))
    return made
  }

  return {
    ready: (account, rulebook, flowId) => {
      const slot = current(account, rulebook, flowId)
      if (!slot || onRecord.has(slot.ready)) return slot?.ready
      return slot.recorded.then(() => slot.ready)
    },
  }
}
