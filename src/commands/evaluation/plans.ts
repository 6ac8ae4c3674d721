/** The compiled plans of the flows in use: made when a flow is first evaluated, made anew when what it is made of changes. */

import { lru } from '../../domain/lru.ts'
import type { CompiledPlan } from '../../engine/compile/compilePlan.ts'
import { engineOf } from '../../engine/engineOf.ts'
import { semanticsVersion } from '../../engine/language/semantics.ts'
import type { Plan } from '../../engine/run/plan.ts'
import { planDigest } from '../../events/evaluation/planRecord.ts'
import type { Rulebooks } from '../rulebook/rulebooks.ts'
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
  /** Of the account's rulebook and of the managed one, when the slot was last known to be right. */
  generation: number
  managedGeneration: number
  readonly fingerprint: string
  readonly ready: ReadyPlan
  readonly recorded: Promise<void>
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
export function openPlans(
  record: (account: string, digest: string, plan: Plan) => Promise<void>,
): Plans {
  const slots = lru<string, Slot>(compiledMax)
  const onRecord = new WeakSet<ReadyPlan>()

  const make = (account: string, rulebooks: Rulebooks, flowId: string): Slot | undefined => {
    const plan = planFlow(rulebooks, flowId, semanticsVersion)
    const fingerprint = planFingerprint(rulebooks, flowId)
    if (!plan || fingerprint === undefined) return undefined
    const compiled = engineOf(plan.semantics).compile(plan)
    const digest = planDigest(account, plan)
    const ready = { digest, plan, compiled, reads: new Set(compiled.reads) }
    const recorded = record(account, digest, plan).then(() => {
      onRecord.add(ready)
    })
    return { ...generationsOf(rulebooks), fingerprint, ready, recorded }
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
    const made = make(account, rulebooks, flowId)
    if (!made) return undefined
    slots.set(key, made)
    // A plan that could not be recorded is tried again by the next evaluation.
    made.recorded.catch(() => slots.delete(key))
    return made
  }

  return {
    ready: (account, rulebooks, flowId) => {
      const slot = current(account, rulebooks, flowId)
      if (!slot || onRecord.has(slot.ready)) return slot?.ready
      return slot.recorded.then(() => slot.ready)
    },
  }
}

function isOf(slot: Slot, { own, managed }: Rulebooks): boolean {
  return slot.generation === own.generation && slot.managedGeneration === managed.generation
}

function generationsOf({ own, managed }: Rulebooks) {
  return { generation: own.generation, managedGeneration: managed.generation }
}
