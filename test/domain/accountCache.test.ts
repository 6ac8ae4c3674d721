import { expect, test } from 'vitest'
import { openAccountCache, openWeighedCache } from '../../src/domain/load/weighedCache.ts'

const value = (size: number) => ({ size })

test('an account that asks for much pushes out what is its own, and nothing of another', () => {
  const cache = openAccountCache<{ size: number }>(100, ({ size }) => size)
  cache.set('small', 'a', value(40))

  for (let key = 0; key < 50; key += 1) cache.set('greedy', `${key}`, value(10))

  expect(cache.get('small', 'a')).toEqual(value(40))
  expect(cache.get('greedy', '49')).toEqual(value(10))
  expect(cache.get('greedy', '44')).toBeUndefined()
})

test('where all is full, the account goes that was not asked for longest', () => {
  const cache = openAccountCache<{ size: number }>(100, ({ size }) => size)
  for (const account of ['a', 'b', 'c']) cache.set(account, 'k', value(30))
  cache.get('a', 'k')

  cache.set('d', 'k', value(30))

  expect(['a', 'b', 'c', 'd'].filter((account) => cache.get(account, 'k'))).toEqual(['a', 'c', 'd'])
})

test('a value that is larger than half is not kept', () => {
  const cache = openAccountCache<{ size: number }>(100, ({ size }) => size)

  cache.set('a', 'k', value(51))

  expect(cache.get('a', 'k')).toBeUndefined()
})

test('what is held by weight is held whatever it weighs, and leaves half to the others', () => {
  const cache = openWeighedCache<{ name: string }>(100)
  cache.set('other', { name: 'other' }, 50)

  cache.set('huge', { name: 'huge' }, 1_000)
  expect([cache.get('other'), cache.get('huge')]).toEqual([{ name: 'other' }, { name: 'huge' }])
  cache.set('next', { name: 'next' }, 10)

  expect([cache.get('other'), cache.get('huge'), cache.get('next')]).toEqual([
    undefined,
    { name: 'huge' },
    { name: 'next' },
  ])
})

test('what has grown since it was held counts with what it weighs now', () => {
  const cache = openWeighedCache<{ name: string }>(100)
  const grows = { name: 'grows' }
  cache.set('other', { name: 'other' }, 40)
  cache.set('grows', grows, 10)
  cache.set('third', { name: 'third' }, 40)

  cache.set('grows', grows, 40)

  expect([cache.get('other'), cache.get('third'), cache.get('grows')]).toEqual([
    undefined,
    { name: 'third' },
    grows,
  ])
})
