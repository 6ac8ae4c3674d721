/** The plans of the flows in use: made when a flow is first evaluated, made anew when what it is made of changes. */

import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { longWork } from '../../domain/longWork.ts'
import { semanticsVersion } from '../../engine/language/semantics.ts'
import type { Plan, PlannedRule } from '../../engine/run/plan.ts'
import {
  type OutlinedRule,
  outlineFlow,
  planFingerprint,
  readOutline,
} from '../rulebook/planFlow.ts'
import type { Rulebooks } from '../rulebook/rulebookStreams.ts'
import type { CompiledPlans, ReadyPlan } from './compiledPlans.ts'
import { type KnownDigests, type Pinned, pinPlan } from './pinPlan.ts'

/** Flows of which it is known what their plan is: some three hundred bytes each. */
const flowsMax = 20_000

/** Versions of rules whose expression's digest stays in memory: some two hundred bytes each. */
const digestsMax = 20_000

interface Slot {
  /** Of the account's rulebook and of the managed one, when the slot was last known to be right. */
  generation: number
  managedGeneration: number
  readonly fingerprint: string
  /** Settles when the plan is compiled and on record; undefined from then on. */
  making: Promise<ReadyPlan> | undefined
  /** Of the plan on record, which may be in memory. */
  digest: string | undefined
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
  compiledPlans: CompiledPlans,
  record: (account: string, plan: Pinned) => Promise<void>,
): Plans {
  const slots = new LRUCache<string, Slot>({ max: flowsMax })
  const knownOf = rememberDigests()

  const make = async (account: string, outline: Plan<OutlinedRule>): Promise<ReadyPlan> => {
    const plan = await readOutline(outline)
    const pinned = await pinPlan(account, plan, knownOf(account))
    const ready = await compiledPlans.ready({ account, digest: pinned.digest, plan })
    await record(account, pinned)
    return ready
  }

  const begin = (account: string, rulebooks: Rulebooks, flowId: string): Slot | undefined => {
    const outline = outlineFlow(rulebooks, flowId, semanticsVersion)
    const fingerprint = fingerprintOf(rulebooks, flowId)
    if (!outline || fingerprint === undefined) return undefined
    const making = longWork(account, () => make(account, outline))
    return { ...generationsOf(rulebooks), fingerprint, making, digest: undefined }
  }

  const heldOf = (account: string, { digest }: Slot): ReadyPlan | undefined =>
    digest === undefined ? undefined : compiledPlans.held(account, digest)

  const current = (account: string, rulebooks: Rulebooks, flowId: string): Slot | undefined => {
    const key = `${account} ${flowId}`
    const found = slots.get(key)
    // a plan that had to make room for others is made again
    const slot = found && (found.making ?? heldOf(account, found)) ? found : undefined
    if (slot && isOf(slot, rulebooks)) return slot
    if (slot && slot.fingerprint === fingerprintOf(rulebooks, flowId)) {
      Object.assign(slot, generationsOf(rulebooks))
      return slot
    }
    slots.delete(key)
    const begun = begin(account, rulebooks, flowId)
    if (!begun) return undefined
    slots.set(key, begun)
    begun.making?.then(
      ({ digest }) => {
        begun.digest = digest
        begun.making = undefined
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
      return slot && (slot.making ?? heldOf(account, slot))
    },
  }
}

/** The digests of expressions of rules: that of a version of an account's own rule stays what it is. */
function rememberDigests(): (account: string) => KnownDigests {
  const digests = new LRUCache<string, string>({ max: digestsMax })
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

/** The versions that the plan is made of, as short as those of one rule. */
function fingerprintOf(rulebooks: Rulebooks, flowId: string): string | undefined {
  const text = planFingerprint(rulebooks, flowId)
  return text === undefined ? undefined : hash('sha256', text, 'base64')
}

function isOf(slot: Slot, { own, managed }: Rulebooks): boolean {
  return slot.generation === own.generation && slot.managedGeneration === managed.generation
}

function generationsOf({ own, managed }: Rulebooks) {
  return { generation: own.generation, managedGeneration: managed.generation }
}
