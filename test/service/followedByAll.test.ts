/** How far all workers have followed: what an answer to a change waits for. */

import { duplexPair } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { openProcessLine, type ProcessLine } from '../../src/domain/processLine.ts'
import { followers, gatherFollowed } from '../../src/service/opening/followedByAll.ts'

const soonMs = 20
const longMs = 60_000

/** A worker that has joined the first process, which gathers. */
function join(gather: (line: ProcessLine) => void) {
  const [near, far] = duplexPair()
  const first = openProcessLine(near)
  const own = openProcessLine(far)
  gather(first)
  onTestFinished(own.close)
  return { ...followers(own), line: own }
}

test('a position counts once every worker has told that it is there', async () => {
  const gather = gatherFollowed()
  const [one, two] = [join(gather), join(gather)]
  one.tell(1)
  two.tell(1)
  expect(await one.waitFor(1, longMs)).toBe(true)

  one.tell(5)
  const early = one.waitFor(5, soonMs)
  expect(await early).toBe(false)

  const later = one.waitFor(5, longMs)
  two.tell(7)
  expect(await later).toBe(true)
  expect(await two.waitFor(6, soonMs)).toBe(false)
})

test('nobody waits for a worker that has ended', async () => {
  const gather = gatherFollowed()
  const [one, two] = [join(gather), join(gather)]
  two.tell(1)
  one.tell(9)
  const waiting = one.waitFor(9, longMs)

  two.line.close()

  expect(await waiting).toBe(true)
})

test('a worker that has yet to tell how far it is holds nobody up', async () => {
  const gather = gatherFollowed()
  const one = join(gather)
  join(gather)

  one.tell(3)

  expect(await one.waitFor(3, longMs)).toBe(true)
})
