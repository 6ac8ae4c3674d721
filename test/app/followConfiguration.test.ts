import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { followStreams } from '../../src/app/followCachedStreams.ts'
import { Failure } from '../../src/domain/failure.ts'
import { type FollowProgress, isCacheFresh } from '../../src/state/folding/foldedStreamCache.ts'
import type { Excerpt, RecordedEvent } from '../../src/stores/eventStore.ts'
import { eventually } from '../support/eventually.ts'
import { nothingMoreComes } from '../support/nothingMoreComes.ts'

/** A log that hands out what it is given, and the streams of an instance that note what they apply. */
async function open() {
  const applied: string[] = []
  const invalidated: string[] = []
  const faults: unknown[] = []
  const followed: FollowProgress = { position: 0, asOfMs: undefined, heads: [] }
  const asked: number[] = []
  let head = 5
  let nowMs = 1_000
  let fails: Error | undefined
  const coming: Excerpt[] = []
  const following = await followStreams({
    events: {
      head: async () => {
        if (fails) throw fails
        return head
      },
      followStreams: async function* (prefixes, after, signal) {
        expect(prefixes).toEqual(['account-', 'rulebook-'])
        asked.push(after)
        while (!signal.aborted) {
          if (fails) throw fails
          const next = coming.shift()
          if (next) yield next
          else await sleep(2)
        }
      },
    },
    caches: new Map([
      [
        'account-',
        {
          applyEvent: ({ stream, id }: RecordedEvent) => {
            if (id === 'poison') throw new Error('unknown type')
            applied.push(stream)
          },
          invalidate: (stream: string) => void invalidated.push(stream),
        },
      ],
      [
        'rulebook-',
        {
          applyEvent: ({ stream }: RecordedEvent) => void applied.push(stream),
          invalidate: () => undefined,
        },
      ],
    ]),
    clock: { nowMs: () => nowMs },
    followed,
    onFault: (error) => faults.push(error),
  })
  onTestFinished(following.close)
  return {
    applied,
    invalidated,
    faults,
    followed,
    asked,
    isCurrent: () => isCacheFresh(followed, { nowMs: () => nowMs }),
    write: (...names: readonly string[]) => {
      head += 10
      const events = names.map((name) => {
        const [stream = '', id = ''] = name.split(' ')
        return { stream, id } as RecordedEvent
      })
      coming.push({ events, position: head })
      return head
    },
    writeElsewhere: () => {
      head += 10
    },
    pass: (ms: number) => {
      nowMs += ms
    },
    fail: (error: Error | undefined) => {
      fails = error
    },
  }
}

test('what is applied goes to the streams it is of, and it is known how far that was', async () => {
  const { write, applied, followed } = await open()

  write('account-a', 'rulebook-b')
  const last = write('account-c')
  await eventually(() => followed.position === last)

  expect(applied).toEqual(['account-a', 'rulebook-b', 'account-c'])
})

test('an event that cannot be folded makes its stream be read again, is told, and stops nothing', async () => {
  const { write, applied, invalidated, faults, followed } = await open()

  const last = write('account-a poison', 'account-b')
  await eventually(() => followed.position === last)

  expect(invalidated).toEqual(['account-a'])
  expect(applied).toEqual(['account-b'])
  expect(faults).toMatchObject([{ message: 'unknown type' }])
})

test('an instance is not current once it may be more than a second behind, and is again when it has come on', async () => {
  const { write, writeElsewhere, pass, isCurrent: current, followed } = await open()
  expect(current()).toBe(true)

  writeElsewhere()
  pass(1_001)
  expect(current()).toBe(false)
  // the end of the log has been asked for, and has not been reached
  await nothingMoreComes(600)
  expect(current()).toBe(false)

  write('account-a')
  await eventually(current)
  expect(followed.position).toBe(25)
})

test('an outage of the log is told and waited out: what follows is asked for from where it was', async () => {
  const { write, applied, fail, faults, asked, followed } = await open()
  const before = write('account-a')
  await eventually(() => followed.position === before)

  fail(new Failure('unavailable', 'the line is cut'))
  await eventually(() => faults.length > 1)
  fail(undefined)
  const last = write('account-b')
  await eventually(() => followed.position === last)

  expect(applied).toEqual(['account-a', 'account-b'])
  expect(asked.at(-1)).toBe(before)
})
