/** How long a client may take for the body of a request. */

import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cutSlowBodies } from '../../src/http/connections/cutSlowBodies.ts'
import { bodyAsItComes } from '../../src/http/request/linesBody.ts'

const timeoutMs = 30_000

let req: IncomingMessage
let cuts: number

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  req = new IncomingMessage(new Socket())
  cuts = 0
  cutSlowBodies(timeoutMs, () => {
    cuts += 1
  }).watch(req)
})
afterEach(() => {
  vi.useRealTimers()
})

const wait = (periods: number): void => {
  vi.advanceTimersByTime(timeoutMs * periods)
}

/** Reads so many pieces, each of which comes in time. */
async function readPieces(count: number, piece: string): Promise<void> {
  const pieces = bodyAsItComes(req)
  let next = pieces.next()
  for (let at = 0; at < count; at += 1) {
    req.push(piece)
    await next
    next = pieces.next()
    wait(0.9)
  }
}

test('a body that is taken as a whole is cut after that time, whatever comes of it', () => {
  for (let tenth = 0; tenth < 9; tenth += 1) {
    req.push('x')
    wait(0.1)
  }
  expect(cuts).toBe(0)

  wait(0.1)
  expect(cuts).toBe(1)
})

test('one that is there is not cut, however long it is worked on', () => {
  req.complete = true

  wait(10)

  expect(cuts).toBe(0)
})

test('one that is read while it arrives is not cut as long as enough comes', async () => {
  await readPieces(100, 'x'.repeat(2 * 1024))

  expect(cuts).toBe(0)
})

test('nor while its reader is what others wait for', async () => {
  const pieces = bodyAsItComes(req)
  req.push('x')
  await pieces.next()

  wait(10)

  expect(cuts).toBe(0)
})

test('it is cut when it comes byte by byte', async () => {
  await readPieces(3, 'x')

  expect(cuts).toBe(1)
})

test('it is cut when nothing has come for that time', async () => {
  const pieces = bodyAsItComes(req)
  req.push('x')
  await pieces.next()
  void pieces.next()

  wait(2)

  expect(cuts).toBe(1)
})

test('and when its reader has left it', async () => {
  const pieces = bodyAsItComes(req)
  req.push('x')
  await pieces.next()
  await pieces.return(undefined)

  wait(1)

  expect(cuts).toBe(1)
  expect(req.destroyed).toBe(false)
})
