/** How many processes answer requests. */

import { availableParallelism } from 'node:os'
import { type Reading, readInteger } from './reading.ts'

const usualMax = 4
const most = 64
/** What writes, keeps the keys and projects takes about as much as a worker: with as many workers as cores there would be less for each. */
const coresForStores = 1

/** `VIGIL_WORKERS`: one for each core but one, up to four, unless given; one where the stores are on servers, since any number of instances may share those. */
export function readWorkers(reading: Reading): number {
  const { text, mistakes } = reading
  const onServers = (['EVENTSTORE_URL', 'MONGODB_URL'] as const).filter(
    (name) => text(name) !== undefined,
  )
  const fallback = onServers.length > 0 ? 1 : usualWorkers(availableParallelism())
  const workers = readInteger(reading, 'VIGIL_WORKERS', { min: 1, max: most, fallback })
  if (workers === 1 || onServers.length === 0) return workers
  mistakes.push(
    `VIGIL_WORKERS shares a data folder that has all stores: with ${onServers.join(' and ')} start more instances instead.`,
  )
  return 1
}

/** How many there are when nobody says, on so many cores. */
export function usualWorkers(cores: number): number {
  return Math.max(1, Math.min(usualMax, cores - coresForStores))
}
