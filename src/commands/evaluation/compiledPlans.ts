/** Compiled plans, each compiled once for whoever runs, shows, replays or tries it. Making one is long work of its account. */

import { accountCache } from '../../domain/accountCache.ts'
import { pause } from '../../domain/longWork.ts'
import type { CompiledPlan } from '../../engine/compile/compilePlan.ts'
import { ruleBytes } from '../../engine/compile/ruleBytes.ts'
import { engineOf } from '../../engine/engineOf.ts'
import type { Plan } from '../../engine/run/plan.ts'
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
  /** The plan ready to run; compiled unless it is in memory. */
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
  const held = (account: string, digest: string) => plans.get(account, digest)?.ready

  const keep = async (account: string, kept: Kept): Promise<ReadyPlan> => {
    const { plan, digest, isRead } = kept
    const { compiled, names, bytes } = await compileWeighed(plan)
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

  return {
    held,
    ready: async (digested) => held(digested.account, digested.digest) ?? make(digested),
    recorded: async (recorded) => {
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
  readonly ready: ReadyPlan
  readonly bytes: number
  /** Whether the log was found to have it as its digest says. */
  isRead: boolean
}

async function compileWeighed(
  plan: Plan,
): Promise<Pick<ReadyPlan, 'compiled' | 'names'> & Pick<Weighed, 'bytes'>> {
  const compiled = await engineOf(plan.semantics).compileInSlices(plan)
  const names = new Map<string, number>()
  let bytes = 0
  for (const rule of plan.recipes.flatMap(({ rules }) => rules)) {
    addNamesRead(names, rule.expression)
    bytes += ruleBytes(rule)
    await pause()
  }
  return { compiled, names, bytes }
}
