/** Compiles a flow's current plan, records it in the log, caches compiled plans by digest. */

import { hash } from 'node:crypto'
import { getHeapStatistics } from 'node:v8'
import { LRUCache } from 'lru-cache'
import { type LoadContext, longWork, runInSlices } from '../../domain/load/scheduler.ts'
import type { Steps } from '../../domain/load/steps.ts'
import { openAccountCache } from '../../domain/load/weighedCache.ts'
import { type CompiledPlan, compilePlanSteps } from '../../engine/compile/compilePlan.ts'
import { estimateRuleBytes } from '../../engine/compile/compilePlannedRule.ts'
import { semanticsVersion } from '../../engine/language/semantics.ts'
import type { Plan } from '../../engine/run/plan.ts'
import { addShownNames, type ShownNames } from '../../engine/run/shownRule.ts'
import {
  computePlanFingerprint,
  type OutlinedRule,
  outlineFlow,
  readOutline,
} from '../rulebook/outlineFlow.ts'
import type { Rulebooks } from '../rulebook/rulebookStreams.ts'
import type { PlanToRecord } from './pinPlan.ts'
import { pinPlan } from './pinPlan.ts'

/** A plan ready to run. */
export interface RunnablePlan {
  /** Of the account's plan in the form in which plans are recorded, or were once. */
  readonly digest: string
  readonly plan: Plan
  readonly compiled: CompiledPlan
  readonly reads: ReadonlySet<string>
  /** Every name that the account's own rules say, those of rules too that cannot run here. */
  readonly shownNames: ShownNames
  /** Of memory, estimated. */
  readonly bytes: number
}

/** A plan of an account under a digest. */
interface DigestedPlan extends Pick<RunnablePlan, 'plan' | 'digest'> {
  readonly account: string
}

/** A plan of an account that is on record under a digest. */
interface RecordedDigest extends Pick<DigestedPlan, 'account' | 'digest'> {
  /** Reads it from the log, with the digest that it really has: under another one it is not kept. */
  readonly read: () => Promise<Pick<RunnablePlan, 'plan' | 'digest'>>
}

export type CompiledPlanCache = ReturnType<typeof openCompiledPlanCache>

interface WeighedPlan {
  readonly ready: RunnablePlan
  /** Whether the log was found to have it as its digest says. */
  isRead: boolean
}

/**
 * Plans that hold at most so many bytes together, by estimate, those of an account at most half of it. A plan that is
 * larger is compiled whenever it is asked for.
 */
export function openCompiledPlanCache(context: LoadContext, bytesMax: number) {
  const plans = openAccountCache<WeighedPlan>(bytesMax, ({ ready }) => ready.bytes)
  const compile = (digested: Pick<RunnablePlan, 'plan' | 'digest'>) =>
    runInSlices(context, compileWeighed(digested))

  const requirePlan = async ({ account, ...digested }: DigestedPlan): Promise<WeighedPlan> => {
    const known = plans.get(account, digested.digest)
    if (known) return known
    const compiled = await compile(digested)
    plans.set(account, digested.digest, compiled)
    return compiled
  }

  return {
    /** The account's plan of this digest, when it is in memory. */
    cached: (account: string, digest: string): RunnablePlan | undefined =>
      plans.get(account, digest)?.ready,
    /** The plan ready to run; compiled unless it is in memory. */
    getOrCompile: async (digested: DigestedPlan): Promise<RunnablePlan> =>
      (await requirePlan(digested)).ready,
    /** The plan as the log has it, ready to run; read and compared with its digest once while in memory. */
    getRecorded: async ({ account, digest, read }: RecordedDigest): Promise<RunnablePlan> => {
      const known = plans.get(account, digest)
      // what is read from the log is not trusted to be what its digest says
      if (known?.isRead) return known.ready
      const recorded = await read()
      if (recorded.digest !== digest) return (await compile(recorded)).ready
      const plan = await requirePlan({ account, ...recorded })
      plan.isRead = true
      return plan.ready
    },
  }
}

/** Of the memory that a thread may use, what the plans of records may hold. */
const recordedShare = 1 / 4

/** The same for a thread that reads records: one for all of its work, since the plans of a large flow are large. */
export function openRecordedPlanCache(context: LoadContext): CompiledPlanCache {
  return openCompiledPlanCache(context, getHeapStatistics().heap_size_limit * recordedShare)
}

function* compileWeighed({
  plan,
  digest,
}: Pick<RunnablePlan, 'plan' | 'digest'>): Steps<WeighedPlan> {
  const compiled = yield* compilePlanSteps(plan)
  const shownNames = new Map<string, number>()
  let bytes = 0
  for (const rule of plan.recipes.flatMap(({ rules }) => rules)) {
    addShownNames(shownNames, rule)
    bytes += estimateRuleBytes(rule)
    yield
  }
  const ready = { digest, plan, compiled, reads: new Set(compiled.reads), shownNames, bytes }
  return { ready, isRead: false }
}

/** Flows of which it is known what their plan is: some three hundred bytes each. */
const flowsMax = 20_000

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

export type FlowPlans = ReturnType<typeof openFlowPlans>

/** Opens the plans; `record` writes a plan to the log and settles when it is durable, also when it was there before. */
export function openFlowPlans(
  context: LoadContext & { readonly compiledPlans: CompiledPlanCache },
  record: (account: string, plan: PlanToRecord) => Promise<void>,
) {
  const { compiledPlans } = context
  const slots = new LRUCache<string, Slot>({ max: flowsMax })

  const make = async (account: string, outline: Plan<OutlinedRule>): Promise<RunnablePlan> => {
    const plan = await runInSlices(context, readOutline(outline))
    const pinned = await runInSlices(context, pinPlan(account, plan))
    const ready = await compiledPlans.getOrCompile({ account, digest: pinned.digest, plan })
    await record(account, pinned)
    return ready
  }

  const makeSlot = (account: string, rulebooks: Rulebooks, flowId: string) => {
    const key = `${account} ${flowId}`
    slots.delete(key)
    const outline = outlineFlow(rulebooks, flowId, semanticsVersion)
    const fingerprint = computeFingerprint(rulebooks, flowId)
    if (!outline || fingerprint === undefined) return undefined
    const making = longWork(context, account, () => make(account, outline))
    const slot: Slot = { ...readGenerations(rulebooks), fingerprint, making, digest: undefined }
    slots.set(key, slot)
    making.then(
      ({ digest }) => Object.assign(slot, { digest, making: undefined }),
      // a plan that could not be recorded is tried again by the next evaluation
      () => slots.get(key) === slot && slots.delete(key),
    )
    return making
  }

  return {
    /** The flow's plan as the rulebooks stand, on record already; undefined when there is no such flow. */
    preparePlan: (
      account: string,
      rulebooks: Rulebooks,
      flowId: string,
    ): RunnablePlan | Promise<RunnablePlan> | undefined => {
      const slot = slots.get(`${account} ${flowId}`)
      const { making, digest } = slot ?? {}
      const ready =
        making ?? (digest === undefined ? undefined : compiledPlans.cached(account, digest))
      // a plan that had to make room for others is made again
      if (ready && slot && isCurrent(slot, rulebooks, flowId)) return ready
      return makeSlot(account, rulebooks, flowId)
    },
  }
}

/** The versions that the plan is made of, as short as those of one rule. */
function computeFingerprint(rulebooks: Rulebooks, flowId: string): string | undefined {
  const text = computePlanFingerprint(rulebooks, flowId)
  return text === undefined ? undefined : hash('sha256', text, 'base64')
}

/** Whether the slot's plan is of the versions in the rulebooks, compared when one of them has changed. */
function isCurrent(slot: Slot, rulebooks: Rulebooks, flowId: string): boolean {
  const { generation, managedGeneration } = readGenerations(rulebooks)
  if (slot.generation === generation && slot.managedGeneration === managedGeneration) return true
  if (slot.fingerprint !== computeFingerprint(rulebooks, flowId)) return false
  Object.assign(slot, { generation, managedGeneration })
  return true
}

function readGenerations({ own, managed }: Rulebooks) {
  return { generation: own.generation, managedGeneration: managed.generation }
}
