/** Two instances on one log: one changes, the other answers. */

import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { eraseSubjects, readErasures } from '../../src/commands/handling/eraseSubject.ts'
import { createDemoAccount } from '../../src/demo.ts'
import { evaluationStream } from '../../src/events/evaluation/evaluationEvents.ts'
import { leaseTimes } from '../../src/projections/running/shareProjections.ts'
import { checkReadiness } from '../../src/queries/operations/readiness.ts'
import { requireManagedRulebook } from '../../src/state/rulebook/rulebookStreams.ts'
import { sampleOf } from '../metrics/exposition.ts'
import { eventually } from '../support/eventually.ts'
import { type Instance, openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'

const use = { area: 'evaluation', timeMs: 0 }

const management = '/v2/watch/management'

const ask = (instance: Instance, token: string, asked: readonly [string, string, unknown?]) =>
  sendAs(instance, token)(...asked)

const accounts = '/v2/operator/accounts'

describe('at once, whatever the other instance has heard', () => {
  /**
   * Two instances of which B hears nothing, a customer, and what either instance is asked by the customer and by the
   * operator.
   */
  async function openDeaf() {
    const { a, b } = await openTwoInstances({ deaf: true })
    const customer = await openCustomer(a)
    const account = `${accounts}/${customer.accountId}`
    const [byA, byB] = [sendAs(a, customer.token), sendAs(b, customer.token)]
    const [operateA, operateB] = [sendAs(a, operatorToken), sendAs(b, operatorToken)]
    const rulesOfB = async (token = customer.token) =>
      (await sendAs(b, token)('GET', `${management}/rules`)).status
    return { b, customer, account, byA, byB, operateA, operateB, rulesOfB }
  }

  test('a rule that one has made is deleted by the other, and not only by its word', async () => {
    const { customer, byA, byB } = await openDeaf()
    await byB('POST', `${management}/rules`, rule('1 == 1'))
    const path = `${management}/rules/${await customer.rule('2 == 2')}`

    expect((await byB('DELETE', path)).status).toBe(204)
    expect((await byA('PUT', path, rule('1 == 1'))).status).toBe(404)
  })

  test('a rule that one uses in a recipe is not deleted by the other', async () => {
    const { customer, byB } = await openDeaf()
    const id = await customer.rule('1 == 1')
    await byB('PUT', `${management}/rules/${id}`, rule('3 == 3'))
    await customer.recipe([{ rule_id: id, weight: 60 }])

    expect((await byB('DELETE', `${management}/rules/${id}`)).status).toBe(409)
  })

  test('a token that one has issued is known to the other', async () => {
    const { account, operateA, rulesOfB } = await openDeaf()
    // the other holds the account as it is now
    expect(await rulesOfB()).toBe(200)

    const issued = await operateA('POST', `${account}/tokens`, { scopes: ['author'] })

    expect(await rulesOfB(String(issued.body['token']))).toBe(200)
  })

  test('a token is revoked by one that has not heard of it', async () => {
    const { customer, account, operateB, rulesOfB } = await openDeaf()

    expect((await operateB('DELETE', `${account}/tokens/${customer.tokenId}`)).status).toBe(204)
    expect(await rulesOfB()).toBe(401)
  })

  test('authoring that one has enabled is not refused by the other', async () => {
    const { account, operateA, operateB, rulesOfB } = await openDeaf()
    await operateB('PUT', `${account}/access`, { authoring: false })
    expect(await rulesOfB()).toBe(403)

    await operateA('PUT', `${account}/access`, { authoring: true })

    expect(await rulesOfB()).toBe(200)
  })

  test('a flow that one has made is evaluated by the other', async () => {
    const { b, customer } = await openDeaf()
    const first = await customer.flowOf('1 == 1')
    expect((await evaluate(b, customer.token, first)).status).toBe(200)

    const second = await customer.flowOf('2 == 2')

    expect((await evaluate(b, customer.token, second)).body['verdict']).toBe('FLAG')
  })

  test('what one has made for all customers is changed by the other', async () => {
    const { operateA, operateB } = await openDeaf()
    const path = '/v2/operator/managed/rules'
    const body = { name: 'n', description: 'd', expression: '1 == 1' }
    const made = await operateA('POST', path, body)
    const changed = await operateB('PUT', `${path}/${made.body['id']}`, { ...body, name: 'other' })

    expect([made.status, changed.status]).toEqual([201, 200])
  })
})

describe('within a second', () => {
  test('a token that one has revoked is refused by the other', async () => {
    const { a, b } = await openTwoInstances()
    const customer = await openCustomer(a)
    const use = () => ask(b, customer.token, ['GET', `${management}/rules`])
    expect((await use()).status).toBe(200)
    const path = `${accounts}/${customer.accountId}/tokens/${customer.tokenId}`

    await ask(a, operatorToken, ['DELETE', path])

    expect((await ask(a, customer.token, ['GET', `${management}/rules`])).status).toBe(401)
    await eventually(async () => (await use()).status === 401)
    expect(b.faults).toEqual([])
  })

  test('a revoked token is refused by the other, though it hears nothing of the log', async () => {
    const { a, b, ageB } = await openTwoInstances({ deaf: true })
    const customer = await openCustomer(a)
    const use = async () => (await ask(b, customer.token, ['GET', `${management}/rules`])).status
    expect(await use()).toBe(200)
    await ask(a, operatorToken, [
      'DELETE',
      `${accounts}/${customer.accountId}/tokens/${customer.tokenId}`,
    ])
    const before = b.reads()

    ageB(1_001)

    expect(await use()).toBe(401)
    expect(b.reads()).toBeGreaterThan(before)
  })

  test('a changed rule is what the other evaluates by', async () => {
    const { a, b } = await openTwoInstances()
    const customer = await openCustomer(a)
    const id = await customer.rule('1 == 2')
    const flow = await customer.flow([await customer.recipe([{ rule_id: id, weight: 60 }])])
    expect((await evaluate(b, customer.token, flow)).body['verdict']).toBe('PASS')

    await customer.send('PUT', `${management}/rules/${id}`, rule('1 == 1'))

    await eventually(
      async () => (await evaluate(b, customer.token, flow)).body['verdict'] === 'FLAG',
    )
  })

  test('a change of what is managed is what the other decides by', async () => {
    const { a, b } = await openTwoInstances()
    const path = '/v2/operator/managed/rules'
    const body = { name: 'n', description: 'd', expression: '1 == 1' }

    const made = await ask(a, operatorToken, ['POST', path, body])

    const id = String(made.body['id'])
    await eventually(() => requireManagedRulebook(b.context).rules.has(id))
    expect(made.status).toBe(201)
  })
})

test('an evaluation asks the log for no stream that is held, though others write all the time', async () => {
  const { a, b } = await openTwoInstances({ deaf: true })
  const customer = await openCustomer(a)
  const flow = await customer.flowOf('1 == 1')
  // its lists are read by and by, one at a time
  await eventually(async () => {
    const reads = b.reads()
    await evaluate(b, customer.token, flow)
    return b.reads() === reads
  })
  const before = b.reads()

  for (let count = 0; count < 20; count += 1) {
    expect((await evaluate(a, customer.token, flow)).status).toBe(200)
    expect((await evaluate(b, customer.token, flow)).status).toBe(200)
  }

  expect(b.reads()).toBe(before)
})

test('a request that two instances record at once is counted once', async () => {
  const { a, b } = await openTwoInstances()
  const customer = await openCustomer(a)
  const flow = await customer.flowOf('1 == 1')
  const headers = { 'idempotency-key': 'k' }
  const body = { flow_id: flow, target: { phone_number: '+33612345678' } }
  const send = (one: Instance) =>
    one.door.request('POST', '/v2/watch/eval', { token: customer.token, body, headers })
  // B has looked for the record before A has made it
  const { readStream } = b.context.events
  let looked = false
  Object.assign(b.context.events, {
    readStream: (...asked: Parameters<typeof readStream>) => {
      if (looked || !asked[0].startsWith('evaluation-')) return readStream(...asked)
      looked = true
      return Promise.resolve([])
    },
  })

  const first = await send(a)
  const second = await send(b)

  expect([first.status, second.body]).toEqual([200, first.body])
  expect(looked).toBe(true)
  const counted = async (one: Instance) => {
    const text = await one.service.context.metrics.text()
    return sampleOf(text, 'vigil_evaluations_total', { verdict: 'FLAG' })
  }
  expect([await counted(a), await counted(b)]).toEqual([1, 0])
})

test('what one instance erases is forgotten by the other, which gives the person another key', async () => {
  const { a, b } = await openTwoInstances()
  const customer = await openCustomer(a)
  const flow = await customer.flowOf('phoneCountry(target.phone_number) == "FR"')
  const path = (id: unknown) => `/v2/watch/evaluations/${String(id)}`
  const recorded = await evaluate(b, customer.token, flow)
  const id = recorded.body['id']
  const keysOf = async (evaluation: unknown) => {
    const stream = evaluationStream(String(evaluation))
    const [event] = await a.context.events.readStream(stream, { from: 0, limit: 1 })
    const { subjects } = JSON.parse(event?.metadata ?? '{}') as {
      readonly subjects: readonly { readonly digest: string; readonly key: string }[]
    }
    return subjects
  }
  const [subject] = await keysOf(id)
  if (!subject) throw new Error('the evaluation has a subject')
  expect((await ask(b, customer.token, ['GET', path(id)])).body['evidence']).toBeDefined()

  const call = { principal: { kind: 'operator' }, requestId: randomUUID() } as const
  const erased = { account: customer.accountId, subjects: [subject.digest] }
  await eraseSubjects(a.context, call, erased)

  const records = await readErasures(a.context.events, subject.digest)
  expect(records).toHaveLength(1)
  expect(records[0]?.keys).toContain(subject.key)
  await eventually(async () => {
    const shown = await ask(b, customer.token, ['GET', path(id)])
    return JSON.stringify(shown.body).includes('"forgotten":true')
  })
  for (const one of [a, b]) {
    const again = await evaluate(one, customer.token, flow)
    const [next] = await keysOf(again.body['id'])
    expect(next).toMatchObject({ digest: subject.digest })
    expect(next?.key).not.toBe(subject.key)
  }
})

test('who is erased by the word of the log gets another key, though nobody has asked the key store', async () => {
  const { a, b } = await openTwoInstances()
  const held = b.keyring.assign('a person', use)
  const data = { subject: 'a person', keys: [held.id] }
  const [event] = a.context.encode([{ type: 'SubjectErased', data }], {
    account: 'acc_01h455vb4pex5vsknk084sn02q',
    actor: 'operator',
    request: '',
    command: randomUUID(),
    time: 1,
  })
  if (!event) throw new Error('there is an event')

  await a.context.events.append({
    stream: 'subject-a person',
    events: [event],
    expected: 'no_stream',
  })

  const assigned = () => b.keyring.assign('a person', use).id
  await eventually(() => assigned() !== held.id)
  expect(assigned()).not.toBe(held.id)
})

test('instances that start together on a new log open one demo account, and one of them shows its token', async () => {
  const { a, b } = await openTwoInstances({ deaf: true })

  const opened = await Promise.all(
    [a, b].map((one) => createDemoAccount(one.service, { isBegun: false })),
  )

  const [demo, ...others] = opened.filter((one) => one !== undefined)
  expect(others).toEqual([])
  for (const one of [a, b]) {
    const listed = await ask(one, operatorToken, ['GET', accounts])
    expect(listed.body['items'] ?? listed.body['accounts']).toHaveLength(1)
    const answer = await evaluate(one, demo?.token ?? '', demo?.signupFlow ?? '')
    expect(answer.status).toBe(200)
  }
})

describe('an instance that does not run the projections', () => {
  test('waits until what it has written is seen, and answers from there', async () => {
    const { a, b } = await openTwoInstances()
    const customer = await openCustomer(a)

    // the wait is a bounded one, which a pause of the machine may outlast
    let made = await ask(b, customer.token, ['POST', `${management}/rules`, rule('1 == 1')])
    await eventually(async () => {
      if (made.headers['x-vigil-visible'] === undefined) return true
      made = await ask(b, customer.token, ['POST', `${management}/rules`, rule('1 == 1')])
      return false
    }, 'a write is shown before it is answered')

    const position = made.headers['x-vigil-position']
    const path = `${management}/rules/${made.body['id']}?min_position=${position}`
    expect((await ask(b, customer.token, ['GET', path])).status).toBe(200)
  })

  test('says how they are, as the one does that runs them', async () => {
    const { a, b } = await openTwoInstances()
    const known = async (one: Instance) => {
      const { projections, ready } = await checkReadiness(one.service.context)
      return { ready, projections: projections.map(({ lag_seconds: _, ...rest }) => rest) }
    }
    await eventually(async () => (await known(a)).ready && (await known(b)).ready)

    // the other hears of it a moment later
    await eventually(async () => isDeepStrictEqual(await known(b), await known(a)))
    expect((await known(b)).ready).toBe(true)
  })

  test('is not ready once nobody runs them, and makes nobody wait', async () => {
    const { a, b, pass } = await openTwoInstances()
    const customer = await openCustomer(a)
    await eventually(async () => (await checkReadiness(b.service.context)).ready)

    a.projecting.freeze()
    pass(leaseTimes.forMs - 1)
    await eventually(async () => !(await checkReadiness(b.service.context)).ready)

    const made = await ask(b, customer.token, ['POST', `${management}/rules`, rule('1 == 1')])
    expect([made.status, made.headers['x-vigil-visible']]).toEqual([201, 'false'])
  })

  test('runs them when the one that did has stopped, loses nothing and doubles nothing', async () => {
    const { a, b, pass } = await openTwoInstances()
    const customer = await openCustomer(a)
    const first = await customer.rule('1 == 1')
    a.projecting.freeze()
    const made = await ask(b, customer.token, ['POST', `${management}/rules`, rule('2 == 2')])

    pass(leaseTimes.forMs)
    await eventually(() => b.context.projections.leaseStatus().isOwner)

    const path = `${management}/rules?min_position=${made.headers['x-vigil-position']}`
    const listed = async (one: Instance) => (await ask(one, customer.token, ['GET', path])).body
    expect(idsIn(await listed(b))).toEqual([String(made.body['id']), first].sort())
    a.projecting.thaw()
    await eventually(() => !a.context.projections.leaseStatus().isOwner)
    const last = await ask(a, customer.token, ['POST', `${management}/rules`, rule('3 == 3')])
    const { 'x-vigil-position': lastPosition } = last.headers
    await eventually(() => a.context.projections.position() >= Number(lastPosition))
    expect(idsIn(await listed(a))).toEqual(
      [String(made.body['id']), String(last.body['id']), first].sort(),
    )
    await eventually(async () => (await checkReadiness(a.service.context)).ready)
    expect([a.faults, b.faults]).toEqual([[], []])
  })

  test('shows the operator what is parked there, and has it applied again', async () => {
    const { b } = await openTwoInstances()
    const path = '/v2/operator/projections'
    await eventually(async () => (await checkReadiness(b.service.context)).ready)

    const retried = await ask(b, operatorToken, ['POST', `${path}/rules/retry`])

    expect(retried.status).toBe(200)
    expect(retried.body).toEqual({ name: 'rules', applied: 0, parked: 0, parked_events: [] })
    expect((await ask(b, operatorToken, ['POST', `${path}/nothing/retry`])).status).toBe(404)
  })
})

function idsIn(body: Record<string, unknown>): readonly string[] {
  const rules = (body['rules'] ?? body['items']) as readonly { readonly id: string }[]
  return rules.map(({ id }) => id).sort()
}

function rule(expression: string) {
  return { name: 'a rule', expression }
}

function evaluate(instance: Instance, token: string, flow_id: string) {
  const body = { flow_id, target: { phone_number: '+33612345678' } }
  return ask(instance, token, ['POST', '/v2/watch/eval', body])
}
