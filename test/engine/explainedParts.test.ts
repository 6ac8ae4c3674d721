import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import { type ExplainedRead, explain } from '../../src/engine/explain/explain.ts'
import type { Trace } from '../../src/engine/explain/traceNodes.ts'
import { visitNodes } from '../../src/engine/language/expression.ts'
import { parseTextByType } from '../../src/engine/language/operators/celFunctions.ts'
import { unparse } from '../../src/engine/language/unparse.ts'
import { draws } from '../support/draws.ts'
import {
  anyEvidence,
  anyRule,
  arbitraryGuardedRule,
  partialEvidence,
} from './support/arbitraryGuardedRule.ts'
import {
  compile,
  evidenceOf,
  expressionOf,
  outcomeOf,
  planOf,
  problemsOf,
  recipeOf,
  ruleOf,
  type Values,
} from './support/evaluate.ts'

/** The rules of one recipe with all their parts and reads. */
async function explainedRules(texts: readonly string[], values: Values) {
  const plan = compile(planOf(recipeOf(texts.map((text, at) => ruleOf(`rul_${at}`, text)))))
  const [recipe] = runAtOnce(explain(plan, evidenceOf(values), { parts: true }))
  return (recipe?.rules ?? []).map((rule) => {
    if (!rule.parts || !rule.reads) throw new Error('nothing explained')
    return { ...rule, parts: rule.parts, reads: rule.reads }
  })
}

async function explained(text: string, values: Values) {
  const [rule] = await explainedRules([text], values)
  if (!rule) throw new Error('nothing explained')
  return rule
}

const flat = (part: Trace): readonly Trace[] => [part, ...(part.parts ?? []).flatMap(flat)]

/** Parts that say what they are whatever stands around them: nothing in them is a variable of a loop. */
function standsAlone({ text }: Trace): boolean {
  return text.length < 200 && !/\b[xy]\b/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, ''))
}

describe('a part of an explanation', () => {
  test('that is true or false is so as a rule of its own', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(anyRule, anyEvidence, async (text, values) => {
        const { parts } = await explained(text, values)
        const conditions = flat(parts).filter(
          (part) => part.state === 'value' && typeof part.value === 'boolean' && standsAlone(part),
        )

        for (const part of conditions) {
          if (problemsOf(part.text).length > 0) continue
          const alone = outcomeOf(part.text, values)
          // alone it may wait for what guards around it have kept it from, or for what stands where it does not look
          if (alone.startsWith('missing')) continue
          compared += 1
          expect([part.text, alone]).toEqual([part.text, String(part.value)])
        }
      }),
      { numRuns: draws(400) },
    )
    expect(compared).toBeGreaterThan(draws(400))
  })

  test('has a value that the same part compared with it equals', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(anyRule, anyEvidence, async (text, values) => {
        const { parts } = await explained(text, values)
        const numbers = flat(parts).filter(
          (part) => part.state === 'value' && Number.isInteger(part.value) && standsAlone(part),
        )

        for (const { text: part, value } of numbers) {
          const rule = `(${part}) == (${value})`
          if (problemsOf(rule).length > 0) continue
          const alone = outcomeOf(rule, values)
          if (alone.startsWith('missing')) continue
          compared += 1
          expect([rule, alone]).toEqual([rule, 'true'])
        }
      }),
      { numRuns: draws(400) },
    )
    expect(compared).toBeGreaterThan(draws(400))
  })

  test('as a whole is the rule in its canonical text, cut off where it is long', async () => {
    await fc.assert(
      fc.asyncProperty(anyRule, anyEvidence, async (text, values) => {
        const { expression, parts } = await explained(text, values)

        expect(expression).toBe(unparse(expressionOf(text)))
        expect(parts.text).toBe(expression?.slice(0, 200))
      }),
      { numRuns: draws(300) },
    )
  })
})

describe('the reads of an explanation', () => {
  /** `use convert name` of every name in the rule, each once. */
  const namesIn = (text: string): ReadonlySet<string> => {
    const names = new Set<string>()
    visitNodes(expressionOf(text), (node) => {
      if (node.kind === 'has') names.add(`has  ${node.name}`)
      if (node.kind === 'read') names.add(`read ${node.convert ?? ''} ${node.name}`)
    })
    return names
  }

  test('are every name of the rule, once for each use of it', async () => {
    await fc.assert(
      fc.asyncProperty(anyRule, anyEvidence, async (text, values) => {
        const { reads } = await explained(text, values)
        const named = reads.map(({ use, convert, name }) => `${use} ${convert ?? ''} ${name}`)

        expect(named.toSorted()).toEqual([...namesIn(text)].toSorted())
      }),
      { numRuns: draws(500) },
    )
  })

  const arrivedOf = ({ name, convert }: ExplainedRead, given: Values[string] | undefined) => {
    if (given === undefined || given === '') return { arrived: false }
    const value = name === 'request.time' ? new Date(Number(given)).toISOString() : given
    const arrived = !convert || parseTextByType[convert](String(given)) !== undefined
    return { arrived, value, source: 'request' }
  }

  test('say what arrived, and neither an empty text nor one that does not convert did', async () => {
    await fc.assert(
      fc.asyncProperty(anyRule, anyEvidence, async (text, values) => {
        for (const read of (await explained(text, values)).reads) {
          const { name, arrived, value, source } = read
          expect({ arrived, value, source }).toEqual(arrivedOf(read, values[name]))
        }
      }),
      { numRuns: draws(500) },
    )
  })

  test('that are not needed are those without which nothing comes out otherwise', async () => {
    let spared = 0
    await fc.assert(
      fc.asyncProperty(arbitraryGuardedRule, partialEvidence, async (text, values) => {
        fc.pre(problemsOf(text).length === 0)
        const { reads } = await explained(text, values)
        const asked = new Set(reads.filter(({ use }) => use === 'has').map(({ name }) => name))
        const used = new Set(reads.filter(({ needed }) => needed !== false).map(({ name }) => name))
        const free = reads.filter(({ name }) => !asked.has(name) && !used.has(name))

        for (const { name } of free) {
          spared += 1
          const { [name]: _, ...without } = values
          expect(outcomeOf(text, without)).toBe(outcomeOf(text, values))
          expect(outcomeOf(text, { ...without, [name]: 'anything' })).toBe(outcomeOf(text, values))
        }
      }),
      { numRuns: draws(3000) },
    )
    expect(spared).toBeGreaterThan(20)
  })

  test('that are needed and lack keep the rule from running, each alone', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryGuardedRule, partialEvidence, async (text, values) => {
        fc.pre(problemsOf(text).length === 0)
        const { reads } = await explained(text, values)
        const lacking = reads.some(({ use, needed, arrived }) => {
          return use === 'read' && needed !== false && !arrived
        })

        if (lacking) expect(outcomeOf(text, values)).toMatch(/^missing /)
      }),
      { numRuns: draws(1000) },
    )
  })
})

describe('values are shown as an author would write them', () => {
  const values: Values = {
    'request.time': Date.parse('2026-11-21T07:30:00Z'),
    'signal.ext.t': '2026-01-01T00:00:00+02:00',
    'signal.ext.w': '90m',
    'signal.ext.n': '3',
    'signal.existing_user': true,
  }
  const shownOf = async (text: string, part: string) =>
    flat((await explained(text, values)).parts).find((one) => one.text === part)?.value

  test.each([
    ['request.time > timestamp(signal.ext.t)', 'request.time', '2026-11-21T07:30:00Z'],
    ['request.time > timestamp(signal.ext.t)', 'timestamp(signal.ext.t)', '2025-12-31T22:00:00Z'],
    ['duration(signal.ext.w) > duration("1h")', 'duration(signal.ext.w)', '5400s'],
    [
      'request.time - timestamp(signal.ext.t) > duration("1h")',
      'request.time - timestamp(signal.ext.t)',
      '28027800s',
    ],
    [
      '(signal.existing_user ? duration("1h") : duration("2h")) > duration("90m")',
      'signal.existing_user ? duration("3600s") : duration("7200s")',
      '3600s',
    ],
    [
      '(signal.existing_user ? request.time : timestamp(signal.ext.t)) < request.time',
      'signal.existing_user ? request.time : timestamp(signal.ext.t)',
      '2026-11-21T07:30:00Z',
    ],
    ['int(signal.ext.n) * 2 == 6', 'int(signal.ext.n) * 2', 6],
    ['1.5 * double(signal.ext.n) > 4.0', '1.5 * double(signal.ext.n)', 4.5],
    ['signal.ext.n + "x" == "3x"', 'signal.ext.n + "x"', '3x'],
    ['int(signal.ext.n) in [1, 3]', '[1, 3]', [1, 3]],
  ])('in %s: %s is %j', async (text, part, value) => {
    expect(await shownOf(text, part)).toEqual(value)
  })
})

describe('what an explanation takes', () => {
  const numbers = (count: number) => `[${Array.from({ length: count }, (_, at) => at)}]`
  const text = 'ab'.repeat(4000)
  const heavy = `${numbers(300)}.exists(x, (signal.ext.a + "").matches("(?:[a-f]|x)+y$") && x > 0)`

  test('of a part that the rule did not need is as bounded as the rule', async () => {
    const { parts } = await explained(`signal.existing_user || ${heavy}`, {
      'signal.existing_user': true,
      'signal.ext.a': text,
    })

    const matched = flat(parts).filter(({ text: shown }) => shown.includes('.matches('))
    const computed = matched.filter(({ state, parts: below }) => state === 'value' && below)
    expect(parts).toMatchObject({ state: 'value', value: true })
    expect(computed.length).toBeLessThan(10)
    expect(flat(parts).filter(({ state }) => state === 'not_evaluated').length).toBeGreaterThan(0)
  })

  test('is shared by all rules', async () => {
    const rules = Array.from({ length: 60 }, () => `signal.existing_user || ${heavy}`)

    const values = { 'signal.existing_user': true, 'signal.ext.a': text }
    const shown = (await explainedRules(rules, values)).map(({ parts }) => parts)

    const computed = shown
      .flatMap(flat)
      .filter(({ text: of, state }) => of.startsWith('(signal.ext.a + "").m') && state === 'value')
    expect(computed.length).toBeLessThan(20)
    expect(shown.every(({ value }) => value === true)).toBe(true)
  })

  test('counts a long value that is shown again and again for as long as it is', async () => {
    const rule = `${numbers(150)}.all(x, size(signal.ext.a + "x") > x)`

    const { parts } = await explained(rule, { 'signal.ext.a': text })

    expect(JSON.stringify(parts).length).toBeLessThan(1_000_000)
    expect(parts).toMatchObject({ state: 'value', value: true })
  })

  test('leaves a rule of usual size whole', async () => {
    const rule = `signal.user_agent.contains("x") || ["a", "b"].exists(w, signal.ext.note.contains(w))`

    const { parts } = await explained(rule, {
      'signal.user_agent': 'y'.repeat(300),
      'signal.ext.note': 'b',
    })

    expect(flat(parts).filter(({ state }) => state === 'not_evaluated')).toEqual([])
  })
})
