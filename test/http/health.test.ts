import { expect, test, vi } from 'vitest'
import { checkReadiness, type Readiness } from '../../src/queries/operations/readiness.ts'
import { memoryService } from './support/memoryService.ts'
import { openDoorOfTest } from './support/openDoorOfTest.ts'

vi.mock('../../src/queries/operations/readiness.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  checkReadiness: vi.fn(),
}))

const doorWith = (readiness: () => Promise<Readiness>) => {
  vi.mocked(checkReadiness).mockImplementation(readiness)
  return openDoorOfTest(memoryService())
}

const lagging: Readiness = {
  ready: false,
  projected_by: 'another_instance',
  stores: { log: 'ok', views: 'failing' },
  projections: [
    {
      name: 'evaluations',
      version: 1,
      position: -1,
      lag_seconds: 12.5,
      status: 'catching_up',
      parked: 0,
    },
  ],
}

test('the process lives, whatever its stores do, and needs no token to say so', async () => {
  const { request } = await doorWith(() => Promise.reject(new Error('the disk is gone')))

  const received = await request('GET', '/health/live')

  expect(received.status).toBe(200)
  expect(received.body).toEqual({ status: 'ok' })
})

test.each([
  [true, 200],
  [false, 503],
])('ready: %s is %i with the whole account of it', async (ready, status) => {
  const { request } = await doorWith(async () => ({ ...lagging, ready }))

  const received = await request('GET', '/health/ready')

  expect(received.status).toBe(status)
  expect(received.body).toEqual({ ...lagging, ready })
})

test('not even knowing is a 500', async () => {
  const { request } = await doorWith(() => Promise.reject(new Error('the disk is gone')))

  const received = await request('GET', '/health/ready')

  expect(received.status).toBe(500)
  expect(received.text).not.toContain('disk')
})
