/** Compiled plans, each compiled once for whoever runs, shows, replays or tries it. */

import { accountCache } from '../../domain/accountCache.ts'
import { newPace } from '../../domain/pace.ts'
import type { CompiledPlan } from '../../engine/compile/compilePlan.ts'
import { ruleBytes } from '../../engine/compile/ruleBytes.ts'
import { engineOf } from '../../engine/engineOf.ts'
import { patternsSize } from '../../engine/language/patternSizes.ts'
import type { Plan, PlannedRule } from '../../engine/run/plan.ts'
import { addNamesRead, type NamesRead } from '../../events/evaluation/evidenceRecord.ts'

/** A plan ready to run. */
export interface ReadyPlan {
  /** Of the account's plan in the form in which plans are recorded, or were once. */
  readonly digest: string
  readonly plan: Plan
  readonly compiled: CompiledPlan
  readonly reads: ReadonlySet<string>
  /** Every name that its rules say, in the order of the record, those of rules too that cannot run here. */
  readonly names: NamesRead
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
  readonly read: () => Promise<Pick<ReadyPlan, 'plan' | 'digest'>>
}

export interface CompiledPlans {
  /** The account's plan of this digest, when it is in memory. */
  readonly held: (account: string, digest: string) => ReadyPlan | undefined
  /** The plan ready to run; compiled in turns unless it is in memory or somebody is at it. */
  readonly ready: (digested: DigestedPlan) => Promise<ReadyPlan>
  /** The plan as the log has it, ready to run: read, and compared with its digest, once as long as it is in memory. */
  readonly recorded: (recorded: RecordedDigest) => Promise<ReadyPlan>
}

/**
 * Plans that hold at most so many bytes together, by estimate, those of an account at most half of it. A plan that is larger is compiled
 * whenever it is asked for.
 */
export function openCompiledPlans(bytesMax: number): CompiledPlans {
  const plans = accountCache<Weighed>(bytesMax, ({ bytes }) => bytes)
  const underWay = new Map<string, Promise<ReadyPlan>>()
  const held = (account: string, digest: string) => plans.get(account, digest)?.ready

  const keep = async (account: string, kept: Kept): Promise<ReadyPlan> => {
    const { plan, digest, isRead } = kept
    const { compiled, names, bytes } = await compileInTurns(plan)
    const ready = { digest, plan, compiled, reads: new Set(compiled.reads), names }
    if (kept.under === digest) plans.set(account, digest, { ready, bytes, isRead })
    return ready
  }

  const make = ({ account, digest, plan }: DigestedPlan): Promise<ReadyPlan> =>
    keep(account, { under: digest, digest, plan, isRead: false })

  const readBack = async ({ account, digest: under, read }: RecordedDigest): Promise<ReadyPlan> => {
    const { plan, digest } = await read()
    const known = plans.get(account, under)
    if (!known || digest !== under) return keep(account, { under, digest, plan, isRead: true })
    known.isRead = true
    return known.ready
  }

  const once = (key: string, work: () => Promise<ReadyPlan>): Promise<ReadyPlan> => {
    const making = underWay.get(key) ?? work().finally(() => underWay.delete(key))
    underWay.set(key, making)
    return making
  }

  return {
    held,
    ready: async (digested) => {
      const { account, digest } = digested
      return held(account, digest) ?? once(`${account} ${digest} made`, () => make(digested))
    },
    recorded: async (recorded) => {
      const { account, digest } = recorded
      const known = plans.get(account, digest)
      // what is read from the log is not trusted to be what its digest says
      if (known?.isRead) return known.ready
      return once(`${account} ${digest} read`, () => readBack(recorded))
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
  readonly ready: ReadyPlan
  readonly bytes: number
  /** Whether the log was found to have it as its digest says. */
  isRead: boolean
}

/** Units of a pace for any rule that is compiled, and for one unit of the size of its patterns. */
const ruleUnits = 8 * 1024
const patternUnits = 32

/** Compiles a plan, others having their turns in between. */
async function compileInTurns(
  plan: Plan,
): Promise<Pick<ReadyPlan, 'compiled' | 'names'> & Pick<Weighed, 'bytes'>> {
  const pace = newPace()
  const compiling = engineOf(plan.semantics).compileByRule(plan)
  const names = new Map<string, number>()
  let bytes = 0
  for (;;) {
    const step = compiling.next()
    if (step.done) return { compiled: step.value, names, bytes }
    // a rule that comes a second time adds none
    addNamesRead(names, step.value.expression)
    bytes += ruleBytes(step.value)
    await pace.done(unitsOf(step.value))
  }
}

function unitsOf({ expression }: PlannedRule): number {
  return ruleUnits + (expression ? patternUnits * patternsSize(expression) : 0)
}
