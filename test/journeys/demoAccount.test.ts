import { afterEach, expect, test } from 'vitest'
import type { Service } from '../../src/app/serviceContext.ts'
import { createDemoAccount } from '../../src/demo.ts'
import { openVigil, operatorToken, type Vigil } from '../support/openVigil.ts'

let vigil: Vigil | undefined
afterEach(() => vigil?.close())

/** The service as it is to a process that ends before its write of this number. */
function endingAt({ context, ...service }: Service, number: number): Service {
  let left = number
  const append: typeof context.events.append = async (...asked) => {
    left -= 1
    if (left < 0) throw new Error('the process has ended')
    return context.events.append(...asked)
  }
  return { ...service, context: { ...context, events: { ...context.events, append } } }
}

async function ask(token: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const given = body === undefined ? {} : { body: JSON.stringify(body) }
  const method = body === undefined ? 'GET' : 'POST'
  if (!vigil) throw new Error('nothing is open')
  const { status, text } = await vigil.door.request(method, path, { headers, ...given })
  return { status, body: JSON.parse(text) as Record<string, unknown> }
}

const eachWrite = [0, 1, 2, 3]

test.each(eachWrite)(
  'given a first start that ends before write %i of the demo account, when started again, then it is whole, once, and its token is shown',
  async (number) => {
    const first = await openVigil()
    const ended = createDemoAccount(endingAt(first.service, number), first)
    await expect(ended).rejects.toThrow('the process has ended')

    vigil = await first.restart()
    const isNew = vigil.isNew
    const demo = await createDemoAccount(vigil.service, vigil)

    const evaluated = await ask(demo?.token ?? '', '/v2/watch/eval', {
      flow_id: demo?.signupFlow,
      target: { phone_number: '+33612345678' },
    })
    const { body } = await ask(operatorToken, '/v2/operator/accounts')
    const flows = await ask(demo?.token ?? '', '/v2/watch/management/flows?min_position=0')
    expect(isNew).toBe(true)
    expect(evaluated.status).toBe(200)
    expect(body['accounts']).toHaveLength(1)
    expect(flows.body['flows']).toHaveLength(2)
    vigil = await vigil.restart()
    expect(vigil.isNew).toBe(false)
  },
)

test('given a demo account whose token nobody has used, when started again, then another token is shown and the first still counts', async () => {
  const first = await openVigil()
  const shown = await createDemoAccount(first.service, first)

  vigil = await first.restart()
  const again = await createDemoAccount(vigil.service, vigil)

  expect(again).toEqual({ ...shown, token: expect.stringMatching(/^vgl_/) })
  expect(again?.token).not.toBe(shown?.token)
  const { status } = await ask(shown?.token ?? '', '/v2/watch/management/flows')
  expect(status).toBe(200)
})
