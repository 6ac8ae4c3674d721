import pino from 'pino'
import { expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { catchFailures } from '../../src/http/middleware/catchFailures.ts'
import type { Context } from '../../src/http/request/requestContext.ts'

/** A request, and the paths of which it was asked whose errors they are. */
function asked(path: string) {
  const asks: string[] = []
  const ctx = {
    path,
    state: { requestId: 'one' },
    response: {},
    res: { setHeader: () => undefined },
  } as unknown as Context
  const errorsOf = (of: Context) => {
    asks.push(of.path)
    return 'migration' as const
  }
  const logger = pino({ level: 'silent' })
  return { ctx, asks, run: catchFailures({ logger, isLogged: () => true, errorsOf }) }
}

test('which family its errors are of is asked of a request that is refused, and of no other', async () => {
  const answered = asked('/answered')
  const refused = asked('/refused')

  await answered.run(answered.ctx, async () => undefined)
  await refused.run(refused.ctx, async () => {
    throw new Failure('not_found', 'There is nothing here.')
  })

  expect(answered.asks).toEqual([])
  expect(refused.asks).toEqual(['/refused'])
  expect(JSON.parse(String(refused.ctx.response.body))).toMatchObject({
    code: 'not_found',
    status: expect.any(String),
  })
})
