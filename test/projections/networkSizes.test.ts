import { afterEach, beforeEach, expect, test } from 'vitest'
import { readNetworkSizes } from '../../src/queries/lists/entryKeys.ts'
import { type ReadModelsRun, runReadModels } from './readModelsRun.ts'

let run: ReadModelsRun
beforeEach(() => {
  run = runReadModels()
})
afterEach(() => run.projections.close())

const add = async (list: string, number: number, network?: { version: number; prefix: number }) => {
  const value = { sealed: { key: 'k', box: `${number}` } }
  const subjects = [{ digest: `${number}`.padStart(8, '-').padEnd(22, 'z'), key: 'k' }]
  const kind = network ? 'ip_range' : 'text'
  const data = { list_id: list, kind, value, listed_at: 0, ...(network && { network }) }
  await run.tell({ type: 'ListEntryAdded', data }, { subjects })
}

test('the sizes of the networks on a list cost one question each, however many networks there are', async () => {
  for (let number = 0; number < 40; number += 1) {
    await add('lst_a', number, { version: 4, prefix: number % 2 === 0 ? 24 : 3 })
  }
  await add('lst_a', 50, { version: 6, prefix: 128 })
  await add('lst_b', 60, { version: 4, prefix: 8 })
  await add('lst_c', 61)
  let questions = 0
  const { documents, projections } = run.readers
  const counting = {
    ...documents,
    find: (...asked: Parameters<typeof documents.find>) => {
      questions += 1
      return documents.find(...asked)
    },
  }
  const sizesOf = (list: string) =>
    readNetworkSizes({ documents: counting, projections }, { account: 'acc_a', list })

  const sizes = await sizesOf('lst_a')
  const asked = questions
  const others = [await sizesOf('lst_c'), await sizesOf('lst_d'), await sizesOf('lst_')]

  expect(sizes).toEqual([
    { version: 4, prefix: 24 },
    { version: 4, prefix: 3 },
    { version: 6, prefix: 128 },
  ])
  expect(asked).toBe(4)
  expect(others).toEqual([[], [], []])
})
