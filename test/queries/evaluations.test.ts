/** The list of evaluations, followed forward and leafed through backward, against a plain filter. */

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createManagedRulebook } from '../../src/events/rulebook/managedRulebook.ts'
import { createRulebook } from '../../src/events/rulebook/rulebook.ts'
import { listEvaluations } from '../../src/queries/analysis/evaluationSearch.ts'
import {
  listRecordedEvaluations,
  type RecordedEvaluationsQuery,
} from '../../src/queries/evaluation/evaluationsByPosition.ts'
import { type ReadModelsRun, runReadModels } from '../projections/readModelsRun.ts'
import { draws } from '../support/draws.ts'

let run: ReadModelsRun
beforeEach(() => {
  run = runReadModels()
})
afterEach(() => run.projections.close())

interface Ran {
  readonly account: 'acc_a' | 'acc_b'
  readonly flow: 'flo_1' | 'flo_2'
  readonly verdict: 'PASS' | 'FLAG'
}

const ran = fc.record<Ran>({
  account: fc.constantFrom('acc_a', 'acc_a', 'acc_b'),
  flow: fc.constantFrom('flo_1', 'flo_2'),
  verdict: fc.constantFrom('PASS', 'FLAG'),
})
const wanted = fc.record(
  {
    flowId: fc.constantFrom<Ran['flow'][]>('flo_1', 'flo_2'),
    verdict: fc.constantFrom<Ran['verdict'][]>('PASS', 'FLAG'),
  },
  { requiredKeys: [] },
)
type Wanted = Pick<RecordedEvaluationsQuery, 'flowId' | 'verdict'>

/** Tells them all and answers the position that has been passed. */
async function tell(all: readonly Ran[]): Promise<number> {
  await run.projections.close()
  run = runReadModels()
  for (const [at, { account, flow, verdict }] of all.entries()) {
    const data = {
      evaluation_id: `evl_${at}`,
      arrived: {},
      flow_id: flow,
      plan: 'digest',
      verdict,
      recipes: [{ recipe_id: 'rcp_1', score: at, verdict, outcomes: 'T' }],
    }
    run.log.add(`evaluation-${at}`, 'FlowEvaluated', data, { account, time: at })
  }
  // so that there is something to catch up with when nothing ran
  run.log.add('other', 'Noted', {})
  await run.caughtUp()
  return run.log.head()
}

const plainly = (all: readonly Ran[], { flowId, verdict }: Wanted) =>
  all.flatMap((one, at) => {
    const isWanted =
      one.account === 'acc_a' &&
      (flowId === undefined || one.flow === flowId) &&
      (verdict === undefined || one.verdict === verdict)
    return isWanted ? [`evl_${at}`] : []
  })

const roundsMax = 40

describe('the evaluations of an account', () => {
  const given = [fc.array(ran, { maxLength: 20 }), wanted, fc.integer({ min: 1, max: 6 })] as const

  test('followed from the beginning come each once, in the order of the log, and end at its end', () =>
    fc.assert(
      fc.asyncProperty(...given, async (all, only, limit) => {
        const reached = await tell(all)
        const found: string[] = []
        let after = 0
        for (let round = 0; round < roundsMax && after < reached; round += 1) {
          const asked = { account: 'acc_a', ...only, after, limit, reached }
          const page = await listRecordedEvaluations(run.readers, asked)
          expect(page.items.length).toBeLessThanOrEqual(limit)
          expect(page.nextAfter).toBeGreaterThan(after)
          found.push(...page.items.map(({ id }) => id))
          after = page.nextAfter
        }

        expect(found).toEqual(plainly(all, only))
        expect(after).toBe(reached)
      }),
      { numRuns: draws(60) },
    ))

  test('leafed through from the end come each once, the newest page first', () =>
    fc.assert(
      fc.asyncProperty(...given, async (all, only, limit) => {
        const reached = await tell(all)
        const pages: (readonly string[])[] = []
        let before: number | undefined
        for (let round = 0; round < roundsMax; round += 1) {
          const asked = {
            account: 'acc_a',
            ...only,
            limit,
            reached,
            ...(before !== undefined && { before }),
          }
          const page = await listRecordedEvaluations(run.readers, asked)
          pages.unshift(page.items.map(({ id }) => id))
          before = page.nextBefore
          if (before === undefined) break
        }

        expect(before).toBeUndefined()
        expect(pages.flat()).toEqual(plainly(all, only))
      }),
      { numRuns: draws(60) },
    ))

  test('asked for the last ones go on where new ones will come', () =>
    fc.assert(
      fc.asyncProperty(...given, async (all, only, limit) => {
        const reached = await tell(all)
        const asked = { account: 'acc_a', ...only, limit, reached }

        const last = await listRecordedEvaluations(run.readers, asked)

        expect(last.items.map(({ id }) => id)).toEqual(plainly(all, only).slice(-limit))
        const next = await listRecordedEvaluations(run.readers, { ...asked, after: last.nextAfter })
        expect(next.items).toEqual([])
      }),
      { numRuns: draws(60) },
    ))
})

test('while plans are behind, recipes are listed as live ones, by the names that they have now', async () => {
  const reached = await tell([{ account: 'acc_a', flow: 'flo_1', verdict: 'FLAG' }])
  const recipes = new Map([['rcp_1', { current: { version_id: 'ver_1', name: 'Carts' } }]])
  const state = { ...createRulebook(), recipes }
  const context = {
    ...run.readers,
    projections: { ...run.readers.projections, position: () => reached },
    heavyQueries: {
      listRecordedEvaluations: (_: object, asked: Parameters<typeof listRecordedEvaluations>[1]) =>
        listRecordedEvaluations(run.readers, asked),
    },
    rulebooks: { catchUp: async () => ({ state }) },
    managed: { peek: () => ({ state: createManagedRulebook() }) },
  }
  const call = { principal: { accountId: 'acc_a' } }

  const value = await listEvaluations(context as never, call as never, { limit: 1 })

  const recipe = { recipe_id: 'rcp_1', name: 'Carts', verdict: 'FLAG', score: 0 }
  expect(value.evaluations).toMatchObject([{ id: 'evl_0', recipes: [recipe], shadow_recipes: [] }])
})
