import { expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { takeSteps } from '../../src/http/app.ts'
import type { Context } from '../../src/http/request/context.ts'

const ctx = { state: {} } as Context

test('steps are taken in their order, then the request goes on', async () => {
  const taken: string[] = []
  const step = (name: string) => () => {
    taken.push(name)
  }

  await takeSteps(step('one'), step('two'))(ctx, async () => {
    taken.push('next')
  })

  expect(taken).toEqual(['one', 'two', 'next'])
})

test('a request that is refused by one does not come to those behind it', () => {
  const taken: string[] = []
  const refuse = () => {
    throw new Failure('not_found', 'There is nothing here.')
  }
  const steps = takeSteps(refuse, () => {
    taken.push('behind')
  })

  expect(() =>
    steps(ctx, async () => {
      taken.push('next')
    }),
  ).toThrow('There is nothing here.')
  expect(taken).toEqual([])
})
