import { afterAll, beforeAll, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { fakeService, ids, tokenWith } from './support/fakeService.ts'
import { type Door, openDoor } from './support/openDoor.ts'

const path = (id: string) => `/v2/watch/evaluations/${id}`
const plain = fakeService()

let door: Door

beforeAll(async () => {
  const known = (id: string) => {
    if (id !== ids.evaluation) throw new Failure('not_found', 'There is nothing with this id.')
  }
  door = await openDoor(
    fakeService({
      findEvaluation: async (call, id, detail) => {
        known(id)
        return plain.findEvaluation(call, id, detail)
      },
      replayEvaluation: async (_call, id) => {
        known(id)
        const differences = [{ path: 'recipes.0.score', recorded: 60, recomputed: null }]
        return { result: 'MISMATCH', differences }
      },
    }),
  )
})

afterAll(() => door.close())

test.each([
  ['', []],
  ['?explain=rules', []],
  ['?explain=expressions', ['1 == 1']],
])('the record asked for with %j is explained by the parts %j', async (query, parts) => {
  const token = tokenWith('analyse')

  const received = await door.request('GET', `${path(ids.evaluation)}${query}`, { token })

  const { explanation } = received.body as unknown as {
    explanation: { rules: { parts?: { text: string } }[] }[]
  }
  const explained = explanation.flatMap(({ rules }) => rules)
  expect(explained).toHaveLength(1)
  expect(explained.flatMap(({ parts }) => parts?.text ?? [])).toEqual(parts)
})

test('the record is not explained in a way that does not exist', async () => {
  const token = tokenWith('analyse')

  const received = await door.request('GET', `${path(ids.evaluation)}?explain=all`, { token })

  expect(received.status).toBe(400)
  expect(received.body).toMatchObject({ details: [{ path: 'explain' }] })
})

test('what was forgotten cannot be computed again', async () => {
  const failing = await openDoor(
    fakeService({
      replayEvaluation: async () => {
        throw new Failure('evidence_forgotten', 'The evidence has been erased.')
      },
    }),
  )

  const received = await failing.request('POST', `${path(ids.evaluation)}/replay`, {
    token: tokenWith('audit'),
  })
  await failing.close()

  expect(received.status).toBe(410)
})

test('computing it again is for the scope audit, with or without a body', async () => {
  const token = tokenWith('audit')
  const replay = `${path(ids.evaluation)}/replay`

  const received = await door.request('POST', replay, { token })
  const withBody = await door.request('POST', replay, { token, body: 'anything' })
  const other = await door.request('POST', replay, { token: tokenWith('analyse') })

  expect(received.status).toBe(200)
  expect(received.body).toEqual({
    result: 'MISMATCH',
    differences: [{ path: 'recipes.0.score', recorded: 60, recomputed: null }],
  })
  expect(withBody.status).toBe(200)
  expect(other.status).toBe(403)
})
