import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { witnessAppends } from '../../../src/stores/embedded/witnessAppends.ts'
import { type Mark, readWitnessFile } from '../../../src/stores/embedded/witnessFile.ts'
import type { Append } from '../../../src/stores/eventStore.ts'
import { memoryEventStore } from '../../support/memoryEventStore.ts'

test('given many appends at once, when each is answered, then the witness stands at its event or after it', async () => {
  const { store, mark } = opened()
  const behind: number[] = []

  await Promise.all(
    Array.from({ length: 100 }, async (_, number) => {
      const { position } = await appended(store, appendTo(`stream-${number}`))
      if ((mark()?.position ?? 0) < position) behind.push(position)
    }),
  )

  expect(behind).toEqual([])
  expect(mark()?.position).toBe(100)
})

test('given appends that are answered together, when they are witnessed, then once, at the last of them', async () => {
  const { store, asked, mark } = opened()

  const positions = await Promise.all([1, 2, 3].map((number) => positionOf(store, number)))

  expect(positions).toEqual([1, 2, 3])
  expect(asked()).toBe(1)
  expect(mark()?.position).toBe(3)
})

test('given an append that nobody has waited for, when the store is closed, then it is witnessed', async () => {
  const { store, mark } = opened()
  const append = appendTo('stream-1')

  const answer = store.append(append)
  await store.close()

  expect(await answer).toMatchObject({ ok: true, position: 1 })
  expect(mark()).toMatchObject({ position: 1, id: append.events[0]?.id })
})

test('given an append that was refused, when it is answered, then nothing is witnessed', async () => {
  const { store, asked } = opened()
  await appended(store, appendTo('stream-1'))

  expect(await store.append(appendTo('stream-1'))).toMatchObject({ ok: false })

  expect(asked()).toBe(1)
})

function opened() {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'witness')
  let marks = 0
  const nowMs = (): number => {
    marks += 1
    return marks
  }
  const store = witnessAppends(memoryEventStore(), {
    file,
    nowMs,
    onFault: (error) => {
      throw error
    },
  })
  return { store, asked: () => marks, mark: (): Mark | undefined => markIn(file) }
}

function markIn(file: string): Mark | undefined {
  const mark = readWitnessFile(file)
  if (mark === 'damaged') throw new Error('the witness is damaged')
  return mark
}

type Store = ReturnType<typeof opened>['store']

async function appended(store: Store, append: Append) {
  const answer = await store.append(append)
  if (!answer.ok) throw new Error('not appended')
  return answer
}

async function positionOf(store: Store, number: number): Promise<number> {
  const { position } = await appended(store, appendTo(`stream-${number}`))
  return position
}

function appendTo(stream: string): Append {
  const event = { id: randomUUID(), type: 'Tested', data: '{}', metadata: '{}' }
  return { stream, events: [event], expected: 'no_stream' }
}
