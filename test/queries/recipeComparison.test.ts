import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type ComparedOutcome,
  compareRecipes,
  type RecipeComparison,
} from '../../src/queries/analysis/recipeComparison.ts'
import { type ReadModelsRun, runReadModels } from '../projections/readModelsRun.ts'
import { draws } from '../support/draws.ts'

interface Ran {
  readonly verdict: 'PASS' | 'FLAG'
  readonly outcomes: string
}

interface Evaluated {
  readonly account: 'acc_a' | 'acc_b'
  readonly time: number
  /** What ran, by recipe. */
  readonly recipes: Readonly<Partial<Record<'one' | 'other' | 'third', Ran>>>
}

let run: ReadModelsRun
beforeEach(() => {
  run = runReadModels()
})
afterEach(() => run.projections.close())

const ran = fc.record<Ran>({
  verdict: fc.constantFrom('PASS', 'FLAG'),
  outcomes: fc.constantFrom('T', 'N', 'TM', 'U', 'S'),
})
const evaluated = fc.record<Evaluated>({
  account: fc.constantFrom('acc_a', 'acc_a', 'acc_b'),
  time: fc.integer({ min: 0, max: 5 }),
  recipes: fc.record({ one: ran, other: ran, third: ran }, { requiredKeys: [] }),
})

async function tellAll(all: readonly Evaluated[]): Promise<void> {
  for (const [at, { account, time, recipes }] of all.entries()) {
    const listed = Object.entries(recipes).map(([recipe_id, result]) => ({
      recipe_id,
      score: 0,
      ...result,
    }))
    const data = {
      evaluation_id: `evl_${at}`,
      flow_id: 'flo',
      plan: 'p',
      verdict: 'PASS',
      recipes: listed,
    }
    await run.tell({ type: 'FlowEvaluated', data }, { account, time })
  }
}

const partial = ({ outcomes }: Ran) => outcomes.includes('M') || outcomes.includes('U')

/** How often each combination comes up, by plain counting. */
function counted(all: readonly Evaluated[], from: number, to: number): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { account, time, recipes } of all) {
    const { one, other } = recipes
    if (account !== 'acc_a' || time < from || time >= to || !one || !other) continue
    const key = `${one.verdict} ${other.verdict} ${partial(one) || partial(other)}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

const keyOf = (outcome: ComparedOutcome) =>
  `${outcome.recipe} ${outcome.with} ${outcome.partial_evidence}`

test('in pieces of any size, the counts add up to what plain counting gives', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(evaluated, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 13 }),
      fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 3, max: 6 })),
      async (all, scanMax, [fromMs, toMs]) => {
        await run.projections.close()
        run = runReadModels()
        await tellAll(all)
        const asked = { account: 'acc_a', recipeId: 'one', otherRecipeId: 'other', fromMs, toMs }

        const sums = new Map<string, number>()
        let piece: RecipeComparison | undefined
        let pieces = 0
        do {
          const cursor = piece?.nextCursor
          piece = await compareRecipes(
            run.readers,
            { ...asked, ...(cursor !== undefined && { cursor }) },
            scanMax,
          )
          for (const outcome of piece.outcomes) {
            const key = keyOf(outcome)
            if (outcome.evaluations > 0) sums.set(key, (sums.get(key) ?? 0) + outcome.evaluations)
            expect(outcome.examples).toHaveLength(Math.min(5, outcome.evaluations))
          }
          expect(piece.scanned).toBeLessThanOrEqual(scanMax)
          expect(piece.outcomes).toHaveLength(8)
          pieces += 1
        } while (piece.nextCursor !== undefined && pieces < 20)

        expect(sums).toEqual(counted(all, fromMs, toMs))
      },
    ),
    { numRuns: draws(60) },
  ))

describe('given two evaluations', () => {
  const asked = { account: 'acc_a', recipeId: 'one', otherRecipeId: 'other', fromMs: 0, toMs: 9 }
  beforeEach(async () => {
    const both = { verdict: 'PASS', outcomes: 'T' } as const
    const recipes = { one: both, other: both }
    await tellAll([1, 2].map((time) => ({ account: 'acc_a', time, recipes })))
  })

  test('a look that ends exactly with the last evaluation is not cut off', async () => {
    const whole = await compareRecipes(run.readers, asked, 2)
    const half = await compareRecipes(run.readers, asked, 1)

    expect([whole.scanned, whole.nextCursor]).toEqual([2, undefined])
    expect([half.scanned, typeof half.nextCursor]).toEqual([1, 'string'])
    expect(half.outcomes[0]).toMatchObject({ evaluations: 1, examples: ['evl_1'] })
  })

  test('a cursor goes on with the same two recipes only, and with no other list', async () => {
    const { nextCursor: cursor = '' } = await compareRecipes(run.readers, asked, 1)

    expect((await compareRecipes(run.readers, { ...asked, cursor })).scanned).toBe(1)
    for (const change of [
      { recipeId: 'third' },
      { otherRecipeId: 'third' },
      { account: 'acc_b' },
    ]) {
      await expect(
        compareRecipes(run.readers, { ...asked, ...change, cursor }),
      ).rejects.toMatchObject({ code: 'invalid_request', details: [{ path: 'cursor' }] })
    }
  })
})
