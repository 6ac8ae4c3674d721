import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { compilePlan } from '../../src/engine/compile/compilePlan.ts'
import { semanticsVersion, semanticsVersions } from '../../src/engine/language/semantics.ts'
import type { Plan } from '../../src/engine/run/plan.ts'
import { decodeResult, type RecordedRun } from '../../src/engine/run/recordResult.ts'
import { buildEvaluateResponse } from '../../src/engine/run/result.ts'
import { evidenceOf, planOf, type Values } from './support/evaluate.ts'

/** A plan and what it gives under version 1; once that is released, it is never written anew. */
const before = JSON.parse(readFileSync('test/engine/fixtures/meaning.v1.json', 'utf8')) as {
  readonly plan: string
  readonly runs: readonly {
    readonly evidence: Values
    readonly answer: string
    readonly recorded: RecordedRun
  }[]
}

describe('what was evaluated under version 1', () => {
  const plan = JSON.parse(before.plan) as Plan
  const compiled = compilePlan(plan)

  test.each(before.runs)('is recomputed to the byte: $answer.length bytes', (run) => {
    const recomputed = compiled.run(evidenceOf(run.evidence))

    expect(compiled.renderResponse('evl_1', recomputed)).toBe(run.answer)
    expect(compiled.encodeRun(recomputed)).toEqual(run.recorded)
  })

  test.each(before.runs)('is put together again from its record: $answer.length bytes', (run) => {
    const answer = buildEvaluateResponse('evl_1', decodeResult(plan, run.recorded))

    expect(JSON.stringify(answer)).toBe(run.answer)
  })
})

describe('the versions of the meaning of rules', () => {
  test('are all known, and new plans take the last', () => {
    expect(semanticsVersions).toEqual(semanticsVersions.map((_, at) => at + 1))
    expect(semanticsVersion).toBe(semanticsVersions.at(-1))
  })

  test.each([0, 2, -1, 1.5, Number.NaN])('%s is refused by name', (version) => {
    const plan = { ...planOf(), semantics: version }

    for (const asked of [() => compilePlan(plan), () => decodeResult(plan, { recipes: [] })]) {
      expect(asked).toThrow(Failure)
      expect(asked).toThrow(
        `This is of version ${version} of the meaning of rules; this release of Vigil knows 1.`,
      )
    }
  })
})
