import { beforeAll, expect, test } from 'vitest'
import { openDoorOfFile } from '../support/openOfFile.ts'
import { ids, memoryService, tokenWith } from './support/memoryService.ts'

const path = (id: string) => `/v2/watch/evaluations/${id}`

let id: string

const door = await openDoorOfFile(memoryService())

beforeAll(async () => {
  const body = { flow_id: ids.flow, target: { phone_number: '+15551234567' } }
  const sent = await door.request<{ id: string }>('POST', '/v2/watch/eval', {
    token: tokenWith('eval'),
    body,
  })
  id = sent.body.id
})

test.each([
  ['', []],
  ['?explain=rules', []],
  ['?explain=expressions', ['1 == 1']],
])('the record asked for with %j is explained by the parts %j', async (query, parts) => {
  const token = tokenWith('analyse')

  const received = await door.request('GET', `${path(id)}${query}`, { token })

  const { explanation } = received.body as unknown as {
    explanation: { rules: { parts?: { text: string } }[] }[]
  }
  const explained = explanation.flatMap(({ rules }) => rules)
  expect(explained).toHaveLength(1)
  expect(explained.flatMap(({ parts }) => parts?.text ?? [])).toEqual(parts)
})

test('the record is not explained in a way that does not exist', async () => {
  const token = tokenWith('analyse')

  const received = await door.request('GET', `${path(id)}?explain=all`, { token })

  expect(received.status).toBe(400)
  expect(received.body).toMatchObject({ details: [{ path: 'explain' }] })
})

test('recomputing it is for the scope audit, with or without a body', async () => {
  const token = tokenWith('audit')
  const replay = `${path(id)}/replay`

  const received = await door.request('POST', replay, { token })
  const withBody = await door.request('POST', replay, { token, body: {} })
  const other = await door.request('POST', replay, { token: tokenWith('analyse') })

  expect(received.status).toBe(200)
  expect(received.body).toEqual({ result: 'MATCH', differences: [] })
  expect(withBody.status).toBe(200)
  expect(other.status).toBe(403)
})
