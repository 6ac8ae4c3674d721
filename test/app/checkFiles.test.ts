import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { checkDataFiles } from '../../src/app/detectDamage.ts'
import { Failure } from '../../src/domain/failure.ts'
import type { DamagedStore } from '../../src/metrics/meters.ts'

const check = async (ask: (name: string, file: string) => Promise<string | undefined>) => {
  const damagedFiles = new Set<DamagedStore>()
  const error = vi.fn()
  await checkDataFiles('/data', { logger: { error }, damagedFiles }, { call: ask as never })
  return { damagedFiles, logged: error.mock.calls.map(([facts]) => facts as object) }
}

test('a file that is damaged, or that the check cannot read, is named, and its store is not ready', async () => {
  const { damagedFiles, logged } = await check(async (_, file) => {
    if (file.endsWith('log.db')) return 'its table events is damaged'
    if (file.endsWith('keys.db')) throw new Error('disk I/O error')
    return undefined
  })

  expect([...damagedFiles].sort()).toEqual(['events', 'keys'])
  expect(logged).toEqual([
    expect.objectContaining({ file: join('/data', 'keys.db'), found: 'disk I/O error' }),
    expect.objectContaining({
      file: join('/data', 'log.db'),
      found: 'its table events is damaged',
    }),
  ])
})

test('nothing is said of files whose check ends with its thread', async () => {
  const { damagedFiles, logged } = await check(async () => {
    throw new Failure('unavailable', 'The thread was closed.')
  })

  expect(damagedFiles.size).toBe(0)
  expect(logged).toEqual([])
})
