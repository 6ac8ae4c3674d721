import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { runWhenClosed } from '../../src/http/request/runWhenClosed.ts'

test('all that waits for the end of an answer is done in its order, and waits with one listener', () => {
  const res = new EventEmitter() as ServerResponse
  const done: string[] = []
  for (const name of ['first', 'second', 'third']) runWhenClosed(res, () => done.push(name))

  const listeners = res.listenerCount('close')
  const before = [...done]
  res.emit('close')
  res.emit('close')

  expect(listeners).toBe(1)
  expect(before).toEqual([])
  expect(done).toEqual(['first', 'second', 'third'])
})

test('what is to wait for the end of an answer that is closed already is done at once', () => {
  const res = Object.assign(new EventEmitter(), { closed: true }) as unknown as ServerResponse
  const done: string[] = []

  runWhenClosed(res, () => done.push('first'))

  expect(done).toEqual(['first'])
  expect(res.listenerCount('close')).toBe(0)
})
