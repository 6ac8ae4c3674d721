import { expect, test } from 'vitest'
import type { ProjectionState } from '../../src/projections/running/projectionState.ts'
import { trackProgress } from '../../src/projections/running/trackProgress.ts'

const state = (more: Partial<ProjectionState> = {}): ProjectionState => ({
  name: 'rules',
  version: 1,
  position: 0,
  status: 'live',
  parked: 0,
  active: 1,
  activePosition: more.position ?? 0,
  ...more,
})

const unhurried = () => undefined

test('a wait ends when the slowest projection has passed the position', async () => {
  const board = trackProgress([state(), state({ name: 'flows' })], unhurried)
  let passed: boolean | undefined
  const waiting = board.waitFor(5, 10_000).then((answer) => {
    passed = answer
  })

  board.update([state({ position: 9 }), state({ name: 'flows', position: 4 })])
  await Promise.resolve()
  expect(passed).toBeUndefined()
  board.update([state({ position: 9 }), state({ name: 'flows', position: 5 })])
  await waiting

  expect(passed).toBe(true)
  expect(board.position()).toBe(5)
})

test('a version that is being built beside the active one is not waited for', async () => {
  const board = trackProgress(
    [state({ position: 9 }), state({ version: 2, position: 1, status: 'catching_up', active: 1 })],
    unhurried,
  )

  expect(await board.waitFor(9, 0)).toBe(true)
  expect(board.active('rules')).toBe(1)
})

test('the first version is waited for until readers may use it', async () => {
  const building = state({ position: 3, status: 'catching_up', active: undefined })
  const board = trackProgress([building], unhurried)
  expect(await board.waitFor(3, 5)).toBe(false)
  const waiting = board.waitFor(3, 10_000)

  board.update([{ ...building, active: 1 }])

  expect(await waiting).toBe(true)
})

test('an active version that no longer runs is not waited for: it never moves', async () => {
  const board = trackProgress([state({ version: 2, position: 9, active: 1 })], unhurried)

  expect(await board.waitFor(1, 60_000)).toBe(false)
  expect(board.position()).toBe(0)
})

test('a wait ends with false when what holds it begins to fail', async () => {
  const board = trackProgress([state()], unhurried)
  const waiting = board.waitFor(5, 60_000)

  board.update([state({ status: 'failing', error: 'gone' })])

  expect(await waiting).toBe(false)
})

test('a failing projection that has passed the position holds nobody', async () => {
  const board = trackProgress([state({ position: 5, status: 'failing' })], unhurried)

  expect(await board.waitFor(5, 0)).toBe(true)
})

test('closing ends every wait', async () => {
  const board = trackProgress([state()], unhurried)
  const waiting = [board.waitFor(5, 60_000), board.waitFor(6, 60_000)]

  board.close()

  expect(await Promise.all(waiting)).toEqual([false, false])
})

test('who begins to wait hurries, and who is answered at once does not', async () => {
  let hurries = 0
  const board = trackProgress([state({ position: 3 })], () => {
    hurries += 1
  })

  await board.waitFor(3, 60_000)
  await board.waitFor(4, 0)
  expect(hurries).toBe(0)
  const waiting = board.waitFor(4, 60_000)

  expect(hurries).toBe(1)
  const more = Array.from({ length: 1_000 }, () => board.waitFor(4, 60_000))
  expect(hurries).toBe(1)
  board.update([state({ position: 3 })])
  more.push(board.waitFor(4, 60_000))
  expect(hurries).toBe(2)
  board.close()
  await Promise.all([waiting, ...more])
})

test('given a version that is built beside the one that readers use, when it is asked what that has passed, then it is where that one stopped', () => {
  const building = state({ version: 2, position: 9, active: 1, activePosition: 4 })
  const board = trackProgress([building, state({ name: 'flows', position: 7 })], unhurried)

  expect(board.passed(['rules'])).toBe(4)
  expect(board.passed(['flows'])).toBe(7)
  expect(board.passed(['flows', 'rules'])).toBe(4)
  expect(board.position()).toBe(0)
})
