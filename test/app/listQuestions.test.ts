import { expect, test } from 'vitest'
import type { ServiceContext } from '../../src/app/serviceContext.ts'
import type { ListCache } from '../../src/state/lists/listCache.ts'
import { findPossibleEntries } from '../../src/state/lists/listLookups.ts'

const sizes = Array.from({ length: 128 }, (_, index) => ({
  version: 6 as const,
  prefix: index + 1,
}))
const asked = {
  account: 'acc_a',
  address: { list: 'lst_a', kind: 'ip_range' as const },
  value: '2001:db8:85a3:8d3:1319:8a2e:370:7348',
}

/**
 * A list of networks of all sizes in memory, on which these subjects may be; all that is asked of memory and keys is
 * counted.
 */
function openScene(on: readonly string[]) {
  const counts = { lists: 0, subjects: 0, digests: 0 }
  const list = { has: (subject: string) => on.includes(subject), networks: () => sizes }
  const cachedLists: Pick<ListCache, 'get'> = {
    get: () => {
      counts.lists += 1
      return list
    },
  }
  const keyring: Pick<ServiceContext['keyring'], 'subject' | 'digest'> = {
    subject: (_account, _kind, value) => {
      counts.subjects += 1
      return value
    },
    digest: () => {
      counts.digests += 1
      return 'digest'
    },
  }
  const followed = { position: 7, asOfMs: 0 }
  const context = { cachedLists, keyring, followed, clock: { nowMs: () => 0 } }
  return { counts, context: context as unknown as ServiceContext }
}

test('an address on no network of any size takes two looks for the list and one subject for each size', () => {
  const { counts, context } = openScene([])

  const possible = findPossibleEntries(context, asked)

  expect(possible).toMatchObject({ subjects: [], position: 7 })
  expect(counts).toEqual({ lists: 2, subjects: 128, digests: 0 })
})

test('only the networks that may stand there are looked for in the log', () => {
  const { context } = openScene(['2001:db8::/32', '2001:db8:85a3:8d3::/64', '2001:db8:ffff::/48'])

  const possible = findPossibleEntries(context, asked)

  expect(possible?.subjects).toEqual(['2001:db8::/32', '2001:db8:85a3:8d3::/64'])
})
