import { pino } from 'pino'
import { expect, test } from 'vitest'
import { everyScope, ids, memoryService } from './support/memoryService.ts'
import { openDoor } from './support/openDoor.ts'

test('a request is one line that says who, where, what came of it and how long it took', async () => {
  const lines: unknown[] = []
  const logger = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) })
  const door = await openDoor(memoryService(), { logger })

  const received = await door.request('POST', '/v2/watch/eval', { token: everyScope, body: {} })
  await door.close()

  expect(lines.at(-1)).toEqual({
    level: 30,
    time: expect.any(Number),
    request_id: received.headers['x-request-id'],
    method: 'POST',
    route: '/v2/watch/eval',
    status: 400,
    duration_ms: expect.any(Number),
    code: 'invalid_request',
    account_id: ids.account,
    token_id: ids.token,
    msg: 'request',
  })
})
