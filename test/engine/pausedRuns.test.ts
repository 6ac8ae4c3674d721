import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { runInSlices } from '../../src/domain/load/scheduler.ts'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import type { CompiledPlan, PlanRun } from '../../src/engine/compile/compilePlan.ts'
import { semanticsVersions } from '../../src/engine/language/semantics.ts'
import type { Evidence } from '../../src/engine/run/evidence.ts'
import type { Plan } from '../../src/engine/run/plan.ts'
import { draws } from '../support/draws.ts'
import { everyPauseYields } from '../support/everyPauseYields.ts'
import { load } from '../support/load.ts'
import { compile, evidenceOf, planOf, recipeOf, ruleOf, type Values } from './support/evaluate.ts'

const numbers = (count: number) => `[${Array.from({ length: count }, (_, at) => at)}]`
const loops = (body: string) =>
  `${numbers(40)}.all(a, ${numbers(40)}.all(b, ${numbers(40)}.all(c, ${body})))`

const third = `${numbers(120)}.all(a, ${numbers(120)}.all(b, a + b + int(signal.ext.n) >= 0))`

/**
 * What takes a third of the steps of a rule or all of them, what is unavailable only once the steps of the run are used
 * up, what takes few, what fails, what waits, what ends the recipe.
 */
const rules = [
  ruleOf('third', third),
  ruleOf('dear', loops('a + b + c + int(signal.ext.n) >= 0')),
  ruleOf('held', loops('a + b + c + int(signal.ext.n) >= int(signal.ext.n) - 1')),
  ruleOf('left', `${third} && int(signal.ext.n) > 5 && ${loops('a > int(signal.ext.n)')}`),
  ruleOf('country', 'phoneCountry(target.phone_number) == signal.ext.country'),
  ruleOf('domain', 'emailDomain(target.email_address) == signal.ext.domain'),
  ruleOf('fails', '10 / int(signal.ext.n) > 2'),
  ruleOf('guarded', 'has(signal.ext.m) && int(signal.ext.m) > 1'),
  ruleOf('ends', 'int(signal.ext.n) == 7', { preempts: 'PASS' }),
]
const anyPlan = fc
  .tuple(
    fc.array(fc.constantFrom(...rules), { maxLength: 3 }),
    fc.array(fc.constantFrom(...rules), { maxLength: 2 }),
    fc.constantFrom(...semanticsVersions),
  )
  .map(([live, shadow, semantics]): Plan => {
    // whatever the others are, an operation comes again, and the steps of the run are used up before the last rule
    const [known, dear, last] = [rules.slice(4, 6), rules.slice(1, 3), rules.slice(0, 1)]
    const whole = recipeOf([...known, ...live, ...rules.slice(0, 6), ...dear, ...last])
    return {
      ...planOf(whole, recipeOf(shadow, { recipe_id: 'rcp_2', status: 'SHADOW' })),
      semantics,
    }
  })
const some = (...values: readonly string[]) => fc.constantFrom(...values, undefined)
const evidenceWith = (...n: readonly string[]) =>
  fc
    .record({
      'signal.ext.n': some(...n),
      'signal.ext.m': some('0', '5'),
      'signal.ext.country': some('FR', 'US'),
      'signal.ext.domain': some('example.com', 'example.org'),
      'target.phone_number': some('+33612345678', '+14155552671'),
      'phoneCountry(target.phone_number)': some('FR', 'US'),
      'target.email_address': some('a@example.com', 'b@example.org'),
    })
    .map((values) =>
      evidenceOf(
        Object.fromEntries(
          Object.entries(values).filter(([, value]) => value !== undefined),
        ) as Values,
      ),
    )
const anyEvidence = evidenceWith('0', '3', '7', 'x')
/** Mostly without what the dear rules read: a run that uses few steps changes what is left of them as much. */
const evidenceOfOther = evidenceWith('3', 'x')

afterEach(() => void vi.restoreAllMocks())

const said = (compiled: CompiledPlan, run: PlanRun) =>
  [compiled.renderResponse('evl_1', run), JSON.stringify(compiled.encodeRun(run))].join('\n')

describe('a run in slices', () => {
  test('gives what it gives at once, whatever runs of the same plan come between', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyPlan,
        anyEvidence,
        fc.array(fc.option(evidenceOfOther), { maxLength: 4 }),
        async (plan, evidence, others) => {
          const compiled = compile(plan)
          let pauses = 0
          let isOtherDue = false
          const runOther = (other: Evidence | null | undefined): void => {
            if (other) compiled.run(other)
            isOtherDue = false
          }
          everyPauseYields(() => {
            // a pause looks at the clock several times, and the others do, too
            if (isOtherDue) return
            isOtherDue = true
            setImmediate(runOther, others[pauses % Math.max(1, others.length)])
            pauses += 1
          })

          const run = await runInSlices(load, compiled.runSteps(evidence))

          const apart = compile(plan)
          expect(said(compiled, run)).toBe(said(apart, apart.run(evidence)))
        },
      ),
      { numRuns: draws(4) },
    )
  })

  test('gives the same when another one is given up between its steps', () => {
    const plan = planOf(recipeOf([...rules, ...rules, ...rules]))
    const compiled = compile(plan)
    const evidence = evidenceOf({
      'signal.ext.n': '0',
      'phoneCountry(target.phone_number)': 'FR',
    })
    const givenUp = compiled.runSteps(evidence)
    givenUp.next()
    const steps = compiled.runSteps(evidence)
    expect(steps.next().done).toBe(false)

    givenUp.return(undefined as never)

    const apart = compile(plan)
    expect(said(compiled, runAtOnce(steps))).toBe(said(apart, apart.run(evidence)))
  })

  test('gives the same when two of them go on in turn', async () => {
    everyPauseYields()
    const plan = planOf(recipeOf([...rules, ...rules, ...rules]))
    const compiled = compile(plan)
    const evidence = ['0', '3'].map((n) =>
      evidenceOf({ 'signal.ext.n': n, 'phoneCountry(target.phone_number)': 'FR' }),
    )

    const ended = await Promise.all(
      evidence.map((given) => runInSlices(load, compiled.runSteps(given))),
    )

    const apart = compile(plan)
    expect(ended.map((run) => said(compiled, run))).toEqual(
      evidence.map((given) => said(apart, apart.run(given))),
    )
  })

  test('is for plans that take long alone', () => {
    const few = Array.from({ length: 60 }, (_, at) => ruleOf(`r${at}`, `signal.ext.n == "${at}"`))
    const evidence = evidenceOf({ 'signal.ext.n': '0' })
    const short = compile(planOf(recipeOf(few)))
    const long = compile(planOf(recipeOf([...few, ...rules])))

    expect(short.runSteps(evidence).next().done).toBe(true)
    expect(long.runSteps(evidence).next().done).toBe(false)
  })
})
