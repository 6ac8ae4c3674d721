import { beforeEach, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'

let shop: Customer

const vigil = await openVigilOfFile()

beforeEach(async () => {
  shop = await openCustomer(vigil)
})
const setting = '/v2/watch/management/predict'
const french = 'phoneCountry(target.phone_number) == "FR"'
const target = { type: 'phone_number', value: '+33 6 12 34 56 78' }

const predict = (body: object) => shop.send('POST', '/v2/watch/predict', body)

/** Of the evaluation that a prediction is. */
const recorded = async (id: unknown) => (await shop.send('GET', `/v2/watch/evaluations/${id}`)).body

test('a flagged end user is suspicious, another legitimate, and both are on record', async () => {
  const flow_id = await shop.flowOf(french)
  await shop.send('PUT', setting, { flow_id })

  const flagged = await predict({ target })
  const passed = await predict({ target: { phone_number: '+12133734253' } })

  expect([flagged.status, flagged.body]).toEqual([
    200,
    {
      id: expect.stringMatching(/^evl_/),
      prediction: 'suspicious',
      request_id: flagged.headers['x-request-id'],
    },
  ])
  expect(passed.body['prediction']).toBe('legitimate')
  expect(await recorded(flagged.body['id'])).toMatchObject({ flow_id, verdict: 'FLAG' })
  expect(await recorded(passed.body['id'])).toMatchObject({ flow_id, verdict: 'PASS' })
})

test('signals and a dispatch are read as by an evaluation, the correlation id is kept', async () => {
  const flow_id = await shop.flowOf('signal.device_platform == "web" && signal.existing_user')
  await shop.send('PUT', setting, { flow_id })
  const dispatch_id = await shop.dispatch({ device_platform: 'web' })

  const { body } = await predict({
    target,
    dispatch_id,
    signals: { existing_user: true, device_platform: 'ios', device_id: '' },
    metadata: { correlation_id: 'signup-4711' },
  })

  expect(body['prediction']).toBe('suspicious')
  expect(await recorded(body['id'])).toMatchObject({
    dispatch: 'found',
    correlation_id: 'signup-4711',
    not_counted: [{ name: 'signal.device_platform', reason: 'dispatch_value_wins' }],
  })
})

test('without the setting the answer is 400 and says where it is set', async () => {
  const { status, body } = await predict({ target })

  expect(status).toBe(400)
  expect(body).toMatchObject({ code: 'invalid_request', type: 'bad_request' })
  expect(body['message']).toContain('no flow for predictions')
  expect(body['message']).toContain(`PUT ${setting}`)
})

test('when the flow is deleted that is said; a change of the flow is predicted with at once', async () => {
  const flow = await shop.flowOf('1 == 2')
  await shop.send('PUT', setting, { flow_id: flow })
  const before = await predict({ target })
  const other = await shop.flowOf('1 == 1')
  await shop.send('PUT', setting, { flow_id: other })
  const after = await predict({ target })
  await shop.send('DELETE', `/v2/watch/management/flows/${other}`)
  const gone = await predict({ target })

  expect([before, after].map(({ body }) => body['prediction'])).toEqual([
    'legitimate',
    'suspicious',
  ])
  expect([gone.status, gone.body['message']]).toEqual([400, expect.stringContaining('is deleted')])
})

test('the setting is shown, set to a flow of the account alone, and taken back', async () => {
  const neighbour = await openCustomer(vigil)
  const flow_id = await shop.flowOf('1 == 1')
  const foreign = await neighbour.flowOf('1 == 1')

  const none = await shop.send('GET', setting)
  const refused = await shop.send('PUT', setting, { flow_id: foreign })
  const set = await shop.send('PUT', setting, { flow_id })
  const again = await shop.send('PUT', setting, { flow_id })
  const shown = await shop.send('GET', setting)
  const cleared = await shop.send('DELETE', setting)
  const twice = await shop.send('DELETE', setting)

  expect([none.status, refused.status, refused.body['details']]).toEqual([
    404,
    400,
    [{ path: 'flow_id', message: 'There is no flow with this id.' }],
  ])
  expect([set.body, shown.body]).toEqual([{ flow_id }, { flow_id }])
  expect(again.headers['x-vigil-position']).toBe(set.headers['x-vigil-position'])
  expect([cleared.status, twice.status]).toEqual([204, 204])
  expect((await shop.send('GET', setting)).status).toBe(404)
  expect((await predict({ target })).status).toBe(400)
})
