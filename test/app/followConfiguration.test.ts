import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { followStreams } from '../../src/app/followCachedStreams.ts'
import { type FollowProgress, isCacheFresh } from '../../src/commands/handling/foldedStreamCache.ts'
import { Failure } from '../../src/domain/failure.ts'
import type { Excerpt, RecordedEvent } from '../../src/stores/eventStore.ts'
import { eventually } from '../support/eventually.ts'
import { nothingMoreComes } from '../support/nothingMoreComes.ts'

/** A log that hands out what it is given, and the streams of an instance that note what they hear. */
async function open() {
  const heard: string[] = []
  const distrusted: string[] = []
  const faults: unknown[] = []
  const followed: FollowProgress = { position: 0, asOfMs: undefined }
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
          hear: ({ stream, id }: RecordedEvent) => {
            if (id === 'poison') throw new Error('unknown type')
            heard.push(stream)
          },
          distrust: (stream: string) => void distrusted.push(stream),
        },
      ],
      [
        'rulebook-',
        {
          hear: ({ stream }: RecordedEvent) => void heard.push(stream),
          distrust: () => undefined,
        },
      ],
    ]),
    clock: { nowMs: () => nowMs },
    followed,
    onFault: (error) => faults.push(error),
  })
  onTestFinished(following.close)
  return {
    heard,
    distrusted,
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

test('what is heard goes to the streams it is of, and it is known how far that was', async () => {
  const { write, heard, followed } = await open()

  write('account-a', 'rulebook-b')
  const last = write('account-c')
  await eventually(() => followed.position === last)

  expect(heard).toEqual(['account-a', 'rulebook-b', 'account-c'])
})

test('an event that cannot be folded makes its stream be read again, is told, and stops nothing', async () => {
  const { write, heard, distrusted, faults, followed } = await open()

  const last = write('account-a poison', 'account-b')
  await eventually(() => followed.position === last)

  expect(distrusted).toEqual(['account-a'])
  expect(heard).toEqual(['account-b'])
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
  const { write, heard, fail, faults, asked, followed } = await open()
  const before = write('account-a')
  await eventually(() => followed.position === before)

  fail(new Failure('unavailable', 'the line is cut'))
  await eventually(() => faults.length > 1)
  fail(undefined)
  const last = write('account-b')
  await eventually(() => followed.position === last)

  expect(heard).toEqual(['account-a', 'account-b'])
  expect(asked.at(-1)).toBe(before)
})
