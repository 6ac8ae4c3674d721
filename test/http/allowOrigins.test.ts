import { expect, test } from 'vitest'
import { routes } from './support/everyRoute.ts'

test('only what front ends send may be asked by the pages of every site', () => {
  const open = routes.filter(({ crossOrigin }) => crossOrigin !== undefined)

  expect(open.map(({ operationId }) => operationId)).toEqual(['dispatchSignals'])
})
