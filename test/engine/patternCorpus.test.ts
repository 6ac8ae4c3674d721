import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compilePattern } from '../../src/engine/language/pattern/compilePattern.ts'

const lines = readFileSync(new URL('patternCorpus.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
const [texts = [], ...patterns] = lines.map((line) => JSON.parse(line) as readonly string[])

/** One digit for each text, or that the pattern is refused. */
function answersOf(pattern: string): string {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') return 'refused'
  return texts.map((text) => (compiled.test(text) ? '1' : '0')).join('')
}

// recorded verdicts replay only while no upgrade of the library changes an answer
test('patterns answer what they answered when the corpus was recorded', () => {
  const changed = patterns.filter(([pattern = '', answers]) => answersOf(pattern) !== answers)

  expect(patterns.length).toBeGreaterThan(2000)
  expect(changed).toEqual([])
})
