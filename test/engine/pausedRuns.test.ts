import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CompiledPlan } from '../../src/engine/compile/compilePlan.ts'
import type { PlanRun } from '../../src/engine/compile/runPlan.ts'
import { semanticsVersions } from '../../src/engine/language/semantics.ts'
import type { Plan } from '../../src/engine/run/plan.ts'
import { draws } from '../support/draws.ts'
import { compile, evidenceOf, planOf, recipeOf, ruleOf, type Values } from './support/evaluate.ts'

const numbers = (count: number) => `[${Array.from({ length: count }, (_, at) => at)}]`
const loops = (body: string) =>
  `${numbers(40)}.all(a, ${numbers(40)}.all(b, ${numbers(40)}.all(c, ${body})))`

const third = `${numbers(120)}.all(a, ${numbers(120)}.all(b, a + b + int(signal.ext.n) >= 0))`

/**
 * What takes a third of the steps of a rule or all of them, what is unavailable only once the steps of the run are used up, what takes
 * few, what fails, what waits, what ends the recipe.
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
    fc.array(fc.constantFrom(...rules), { minLength: 1, maxLength: 12 }),
    fc.array(fc.constantFrom(...rules), { maxLength: 4 }),
    fc.constantFrom(...semanticsVersions.map(({ version }) => version)),
  )
  .map(([live, shadow, semantics]): Plan => {
    // however few and cheap the others are, all of them together are too much for one piece
    const whole = recipeOf([...live, ...rules.slice(1, 2)])
    return {
      ...planOf(whole, recipeOf(shadow, { recipe_id: 'rcp_2', status: 'SHADOW' })),
      semantics,
    }
  })
const some = (...values: readonly string[]) => fc.constantFrom(...values, undefined)
const anyEvidence = fc
  .record({
    'signal.ext.n': some('0', '3', '7', 'x'),
    'signal.ext.m': some('0', '5'),
    'signal.ext.country': some('FR', 'US'),
    'signal.ext.domain': some('example.com', 'example.org'),
    'target.phone_number': some('+33612345678', '+14155552671'),
    'target.email_address': some('a@example.com', 'b@example.org'),
  })
  .map((values) =>
    evidenceOf(
      Object.fromEntries(
        Object.entries(values).filter(([, value]) => value !== undefined),
      ) as Values,
    ),
  )

/** Runs it to its end; `meanwhile` is done at every pause. */
function inPieces(
  compiled: CompiledPlan,
  evidence: ReturnType<typeof evidenceOf>,
  meanwhile: (pause: number) => void = () => {},
): { readonly run: PlanRun; readonly pauses: number } {
  const running = compiled.runByRule(evidence)
  for (let pauses = 0; ; pauses += 1) {
    const step = running.next()
    if (step.done) return { run: step.value, pauses }
    meanwhile(pauses)
  }
}

const said = (compiled: CompiledPlan, run: PlanRun) =>
  [compiled.render('evl_1', run), JSON.stringify(compiled.record(run))].join('\n')

describe('a run with pauses', () => {
  test('gives what it gives in one go, whatever runs of the same plan come between', () => {
    fc.assert(
      fc.property(
        anyPlan,
        anyEvidence,
        fc.array(fc.option(anyEvidence), { maxLength: 4 }),
        (plan, evidence, others) => {
          const compiled = compile(plan)

          const { run } = inPieces(compiled, evidence, (pause) => {
            const other = others[pause % Math.max(1, others.length)]
            if (other) compiled.run(other)
          })

          const apart = compile(plan)
          expect(said(compiled, run)).toBe(said(apart, apart.run(evidence)))
        },
      ),
      { numRuns: draws(20) },
    )
  })

  test('gives the same when two of them go on in turn', () => {
    const plan = planOf(recipeOf([...rules, ...rules, ...rules]))
    const compiled = compile(plan)
    const evidence = ['0', '3'].map((n) =>
      evidenceOf({ 'signal.ext.n': n, 'target.phone_number': '+33612345678' }),
    )
    const running = evidence.map((given) => compiled.runByRule(given))
    const ended: PlanRun[] = []

    while (ended.length < 2) {
      for (const one of running) {
        const { done, value } = one.next()
        if (done && value) ended.push(value)
      }
    }

    const apart = compile(plan)
    expect(ended.map((run) => said(compiled, run))).toEqual(
      evidence.map((given) => said(apart, apart.run(given))),
    )
  })

  test('has one between any two rules that take long, so that no piece is more than one of them', () => {
    const dear = Array.from({ length: 24 }, (_, at) => ({ ...rules[1], rule_id: `r${at}` }))
    const compiled = compile(planOf(recipeOf(dear as typeof rules), recipeOf(rules.slice(0, 3))))

    const { pauses } = inPieces(compiled, evidenceOf({ 'signal.ext.n': '0' }))

    expect(pauses).toBe(26)
  })

  test('has none between the rules that are soon done beside one that takes long', () => {
    const few = Array.from({ length: 60 }, (_, at) => ruleOf(`r${at}`, `signal.ext.n == "${at}"`))
    const compiled = compile(planOf(recipeOf(few.with(30, rules[1] as (typeof few)[0]))))

    const { pauses } = inPieces(compiled, evidenceOf({ 'signal.ext.n': '0' }))

    expect(pauses).toBe(2)
  })

  test('has none where all rules together are soon done', () => {
    const few = Array.from({ length: 60 }, (_, at) => ruleOf(`r${at}`, `signal.ext.n == "${at}"`))
    const compiled = compile(planOf(recipeOf(few)))

    const { pauses } = inPieces(compiled, evidenceOf({ 'signal.ext.n': '0' }))

    expect(pauses).toBe(0)
  })
})
