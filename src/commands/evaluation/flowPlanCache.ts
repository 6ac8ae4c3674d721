/** Compiles a flow's current plan, records it in the log, caches compiled plans by digest. */

import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { pauseLongWork, runLongWork } from '../../domain/load/longWork.ts'
import { openAccountCache } from '../../domain/load/weighedCache.ts'
import type { CompiledPlan } from '../../engine/compile/compilePlan.ts'
import { estimateRuleBytes } from '../../engine/compile/compilePlannedRule.ts'
import { semanticsVersion } from '../../engine/language/semantics.ts'
import { requireEngine } from '../../engine/requireEngine.ts'
import type { Plan, PlannedRule } from '../../engine/run/plan.ts'
import {
  type EvidenceNameIndex,
  indexEvidenceNames,
} from '../../events/evaluation/evaluationEvents.ts'
import {
  computePlanFingerprint,
  type OutlinedRule,
  outlineFlow,
  readOutline,
} from '../rulebook/outlineFlow.ts'
import type { Rulebooks } from '../rulebook/rulebookStreams.ts'
import { type ExpressionDigestCache, type PlanToRecord, pinPlan } from './recordPlan.ts'

/** A plan ready to run. */
export interface RunnablePlan {
  /** Of the account's plan in the form in which plans are recorded, or were once. */
  readonly digest: string
  readonly plan: Plan
  readonly compiled: CompiledPlan
  readonly reads: ReadonlySet<string>
  /** Every name that its rules say, in the order of the record, those of rules too that cannot run here. */
  readonly names: EvidenceNameIndex
}

/** A plan of an account under a digest. */
interface DigestedPlan {
  readonly account: string
  readonly digest: string
  readonly plan: Plan
}

/** A plan of an account that is on record under a digest. */
interface RecordedDigest {
  readonly account: string
  readonly digest: string
  /** Reads it from the log, with the digest that it really has: under another one it is not kept. */
  readonly read: () => Promise<Pick<RunnablePlan, 'plan' | 'digest'>>
}

export interface CompiledPlanCache {
  /** The account's plan of this digest, when it is in memory. */
  readonly cached: (account: string, digest: string) => RunnablePlan | undefined
  /** The plan ready to run; compiled unless it is in memory. */
  readonly getOrCompile: (digested: DigestedPlan) => Promise<RunnablePlan>
  /** The plan as the log has it, ready to run: read, and compared with its digest, once as long as it is in memory. */
  readonly getRecorded: (recorded: RecordedDigest) => Promise<RunnablePlan>
}

/**
 * Plans that hold at most so many bytes together, by estimate, those of an account at most half of it. A plan that is larger is compiled
 * whenever it is asked for.
 */
export function openCompiledPlanCache(bytesMax: number): CompiledPlanCache {
  const plans = openAccountCache<Weighed>(bytesMax, ({ bytes }) => bytes)
  const cached = (account: string, digest: string) => plans.get(account, digest)?.ready

  const keep = async (account: string, kept: Kept): Promise<RunnablePlan> => {
    const { plan, digest, isRead } = kept
    const { compiled, names, bytes } = await compileWeighed(plan)
    const ready = { digest, plan, compiled, reads: new Set(compiled.reads), names }
    if (kept.under === digest) plans.set(account, digest, { ready, bytes, isRead })
    return ready
  }

  const make = ({ account, digest, plan }: DigestedPlan): Promise<RunnablePlan> =>
    keep(account, { under: digest, digest, plan, isRead: false })

  const readBack = async ({
    account,
    digest: under,
    read,
  }: RecordedDigest): Promise<RunnablePlan> => {
    const { plan, digest } = await read()
    const known = plans.get(account, under)
    if (!known || digest !== under) return keep(account, { under, digest, plan, isRead: true })
    known.isRead = true
    return known.ready
  }

  return {
    cached,
    getOrCompile: async (digested) => cached(digested.account, digested.digest) ?? make(digested),
    getRecorded: async (recorded) => {
      const known = plans.get(recorded.account, recorded.digest)
      // what is read from the log is not trusted to be what its digest says
      return known?.isRead ? known.ready : readBack(recorded)
    },
  }
}

interface Kept {
  /** The digest that the plan was asked for by. */
  readonly under: string
  readonly digest: string
  readonly plan: Plan
  readonly isRead: boolean
}

interface Weighed {
  readonly ready: RunnablePlan
  readonly bytes: number
  /** Whether the log was found to have it as its digest says. */
  isRead: boolean
}

async function compileWeighed(
  plan: Plan,
): Promise<Pick<RunnablePlan, 'compiled' | 'names'> & Pick<Weighed, 'bytes'>> {
  const compiled = await requireEngine(plan.semantics).compileInSlices(plan)
  const names = new Map<string, number>()
  let bytes = 0
  for (const rule of plan.recipes.flatMap(({ rules }) => rules)) {
    indexEvidenceNames(names, rule.expression)
    bytes += estimateRuleBytes(rule)
    await pauseLongWork()
  }
  return { compiled, names, bytes }
}

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
  making: Promise<RunnablePlan> | undefined
  /** Of the plan on record, which may be in memory. */
  digest: string | undefined
}

export interface FlowPlans {
  /** The flow's plan as the rulebooks stand; undefined when there is no such flow. Settles when the plan is on record. */
  readonly preparePlan: (
    account: string,
    rulebooks: Rulebooks,
    flowId: string,
  ) => RunnablePlan | Promise<RunnablePlan> | undefined
}

/** Opens the plans; `record` writes a plan to the log and settles when it is durable, also when it was there before. */
export function openFlowPlans(
  compiledPlans: CompiledPlanCache,
  record: (account: string, plan: PlanToRecord) => Promise<void>,
): FlowPlans {
  const slots = new LRUCache<string, Slot>({ max: flowsMax })
  const knownOf = rememberDigests()

  const make = async (account: string, outline: Plan<OutlinedRule>): Promise<RunnablePlan> => {
    const plan = await readOutline(outline)
    const pinned = await pinPlan(account, plan, knownOf(account))
    const ready = await compiledPlans.getOrCompile({ account, digest: pinned.digest, plan })
    await record(account, pinned)
    return ready
  }

  const begin = (account: string, rulebooks: Rulebooks, flowId: string): Slot | undefined => {
    const outline = outlineFlow(rulebooks, flowId, semanticsVersion)
    const fingerprint = fingerprintOf(rulebooks, flowId)
    if (!outline || fingerprint === undefined) return undefined
    const making = runLongWork(account, () => make(account, outline))
    return { ...generationsOf(rulebooks), fingerprint, making, digest: undefined }
  }

  const cachedOf = (account: string, { digest }: Slot): RunnablePlan | undefined =>
    digest === undefined ? undefined : compiledPlans.cached(account, digest)

  const current = (account: string, rulebooks: Rulebooks, flowId: string): Slot | undefined => {
    const key = `${account} ${flowId}`
    const found = slots.get(key)
    // a plan that had to make room for others is made again
    const slot = found && (found.making ?? cachedOf(account, found)) ? found : undefined
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
    preparePlan: (account, rulebooks, flowId) => {
      const slot = current(account, rulebooks, flowId)
      return slot && (slot.making ?? cachedOf(account, slot))
    },
  }
}

/** The digests of expressions of rules: that of a version of an account's own rule stays what it is. */
function rememberDigests(): (account: string) => ExpressionDigestCache {
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
  const text = computePlanFingerprint(rulebooks, flowId)
  return text === undefined ? undefined : hash('sha256', text, 'base64')
}

function isOf(slot: Slot, { own, managed }: Rulebooks): boolean {
  return slot.generation === own.generation && slot.managedGeneration === managed.generation
}

function generationsOf({ own, managed }: Rulebooks) {
  return { generation: own.generation, managedGeneration: managed.generation }
}
