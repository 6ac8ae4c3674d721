import { beforeEach, describe, expect, test, vi } from 'vitest'
import { parseRule } from '../../src/engine/language/parse/parseRule.ts'
import { compilePattern } from '../../src/engine/language/pattern/compilePattern.ts'
import { dfaCacheBytes, dfaCacheBytesMax } from '../../src/engine/language/pattern/re2Pattern.ts'

const compiled = vi.hoisted(() => [] as string[])

vi.mock('../../src/engine/language/pattern/re2Pattern.ts', async (load) => {
  const module = await load<typeof import('../../src/engine/language/pattern/re2Pattern.ts')>()
  const compileRe2Pattern: typeof module.compileRe2Pattern = (pattern) => {
    compiled.push(pattern)
    return module.compileRe2Pattern(pattern)
  }
  return { ...module, compileRe2Pattern }
})

beforeEach(() => {
  compiled.length = 0
})

const written = (pattern: string): string => JSON.stringify(pattern)

function problemsOf(rule: string) {
  const parsed = parseRule(rule)
  return 'problems' in parsed ? parsed.problems : []
}

describe('a pattern that is too large', () => {
  test('is refused with its place and the numbers, and never compiled', () => {
    const folding = `(?i)[${'B-\u{1e942}'.repeat(100)}]`
    const rule = `signal.ip == "a" ||\n signal.user_agent.matches(${written(folding)})`

    const [problem] = problemsOf(rule)

    expect(problem).toMatchObject({ line: 2, column: 28 })
    expect(problem?.message).toMatch(/the pattern has a size of \d{6}, and at most 2000 fit$/)
    expect(compiled).toEqual([])
  })

  test('is so also by those before it in the rule', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const parts = names.map((name) => `signal.ip.matches("(?:${name}x){450}")`)

    const problems = problemsOf(parts.join(' || '))

    expect(problems).toMatchObject([{ line: 1, column: 163 }])
    expect(problems[0]?.message).toMatch(
      /with this pattern of size 902 those of the rule come to 4510, and at most 4000 fit$/,
    )
    expect(compiled).toEqual(names.slice(0, 4).map((name) => `(?:${name}x){450}`))
  })
})

test('what patterns remember while they run is bounded over all of them', () => {
  const bits = Array.from({ length: 130 }, (_, i) => ((i * i + (i >> 3)) % 3 === 0 ? 'a' : 'b'))
  let held = 0

  for (let index = 0; index < 700; index += 1) {
    const made = compilePattern(`[ab]*a[ab]{100}[cd]${index}`)
    if (typeof made === 'string') throw new Error(made)
    expect(made.test(`${bits.join('')}c${index}`)).toBe(bits.at(-101) === 'a')
    held = Math.max(held, dfaCacheBytes())
  }

  expect(held).toBeGreaterThan(dfaCacheBytesMax / 2)
  expect(held).toBeLessThanOrEqual(dfaCacheBytesMax)
})
